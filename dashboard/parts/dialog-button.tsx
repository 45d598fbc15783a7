import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { Dialog } from './dialog.tsx'

export interface DialogButtonProps {
  /** Of the button in the page. */
  readonly label: string
  /** Of the dialog. */
  readonly title: string
  readonly isDanger?: boolean
  readonly disabled?: boolean
  /** Shown at the button under the pointer. */
  readonly hint?: string | undefined
  readonly onClose?: () => void
  /** What the dialog shows. */
  readonly children: ComponentChildren
}

/** A button that opens a dialog. */
export function DialogButton(props: DialogButtonProps) {
  const { label, title, isDanger = false, disabled = false, hint, onClose, children } = props
  const isOpen = useSignal(false)
  return (
    <>
      <button
        type="button"
        class={isDanger ? 'danger' : ''}
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
