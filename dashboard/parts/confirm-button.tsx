import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useAsked } from './asked.ts'
import { DialogButton } from './dialog-button.tsx'
import { Trouble } from './trouble.tsx'

export interface ConfirmButtonProps {
  /** Of the button in the page. */
  readonly label: string
  /** Of the dialog. */
  readonly title: string
  /** Of the button in the dialog. */
  readonly confirm: string
  readonly kind: 'danger' | 'main'
  /** As for `useAsked`. */
  readonly needs?: 'farmgate' | 'game'
  readonly ask: () => Promise<void>
  /** Called when `ask` succeeded. */
  readonly onDone?: () => Promise<void>
  /** What the dialog shows when `ask` succeeded; without it, `onDone` removes the button from the page. */
  readonly done?: ComponentChildren
  /** What will happen, and to what. */
  readonly children: ComponentChildren
}

/** A button that opens a dialog, which describes the action and has the button for it. */
export function ConfirmButton(props: ConfirmButtonProps) {
  const { label, title, confirm, kind, needs, ask, onDone, done, children } = props
  const isDone = useSignal(false)
  const asked = useAsked(needs)
  const run = async () => {
    if (!(await asked.run(ask))) return
    isDone.value = done !== undefined
    await onDone?.()
  }
  return (
    <DialogButton label={label} title={title} look={kind === 'danger' ? kind : undefined}>
      <div class="form">
        {isDone.value ? done : children}
        <Trouble error={asked.error.value} />
        {!isDone.value && (
          <button type="button" class={kind} aria-disabled={asked.mustWait.value} onClick={() => void run()}>
            {confirm}
          </button>
        )}
      </div>
    </DialogButton>
  )
}
