import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { Dialog } from './dialog.tsx'

export interface DialogButtonProps {
  /** Of the button in the page. */
  readonly label: ComponentChildren
  /** What the button is called where its label does not say enough. */
  readonly name?: string
  /** Of the dialog. */
  readonly title: string
  readonly look?: 'danger' | 'with-icon' | undefined
  readonly disabled?: boolean
  /** Shown at the button under the pointer. */
  readonly hint?: string | undefined
  readonly onClose?: () => void
  /** What the dialog shows. */
  readonly children: ComponentChildren
}

/** A button that opens a dialog. */
export function DialogButton(props: DialogButtonProps) {
  const { label, name, title, look, disabled = false, hint, onClose, children } = props
  const isOpen = useSignal(false)
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
        <Dialog
          title={title}
          onClose={() => {
            isOpen.value = false
            onClose?.()
          }}
        >
          {children}
        </Dialog>
      )}
    </>
  )
}
