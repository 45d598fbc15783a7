import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { Dialog } from './dialog.tsx'

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
