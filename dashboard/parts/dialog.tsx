import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { texts } from '../texts/texts.ts'
import { Icon } from './icon.tsx'

export interface DialogProps {
  readonly title: string
  readonly children: ComponentChildren
  readonly onClose: () => void
}

/** A dialog in front of the page; the browser keeps the focus in it and returns it. */
export function Dialog({ title, children, onClose }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  const id = useId()
  useLayoutEffect(() => {
    const dialog = element.current
    dialog?.showModal()
    // One that leaves the page without being closed would not return the focus.
    return () => dialog?.close()
  }, [])
  return (
    <dialog
      ref={element}
      aria-labelledby={id}
      onClose={({ currentTarget }) => currentTarget.isConnected && onClose()}
    >
      <header>
        <h2 id={id}>{title}</h2>
        <button
          type="button"
          class="bare"
          aria-label={texts.value.close}
          onClick={() => element.current?.close()}
        >
          <Icon name="close" />
        </button>
      </header>
      {children}
    </dialog>
  )
}

export interface DialogButtonProps {
  /** Text of the button in the page. */
  readonly label: ComponentChildren
  /** Accessible name of the button, where its text is not enough. */
  readonly name?: string
  /** Title of the dialog. */
  readonly title: string
  readonly look?: 'danger' | 'main' | 'with-icon' | undefined
  readonly disabled?: boolean
  /** Tooltip of the button. */
  readonly hint?: string | undefined
  readonly onClose?: () => void
  /** The content of the dialog; a function gets what closes it. */
  readonly children: ComponentChildren | ((close: () => void) => ComponentChildren)
}

/** A button that opens a dialog. */
export function DialogButton(props: DialogButtonProps) {
  const { label, name, title, look, disabled = false, hint, onClose, children } = props
  const isOpen = useSignal(false)
  const close = () => {
    isOpen.value = false
    onClose?.()
  }
  return (
    <>
      <button
        type="button"
        class={look}
        aria-label={name}
        disabled={disabled}
        title={hint}
        onClick={() => {
          isOpen.value = true
        }}
      >
        {label}
      </button>
      {isOpen.value && (
        <Dialog title={title} onClose={close}>
          {typeof children === 'function' ? children(close) : children}
        </Dialog>
      )}
    </>
  )
}
