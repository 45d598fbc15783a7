import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { AskButton } from './ask-button.tsx'
import { useAsked } from './asked.ts'
import { DialogButton } from './dialog-button.tsx'
import { Trouble } from './trouble.tsx'

export interface ConfirmButtonProps {
  /** Of the button in the page. */
  readonly label: string
  /** Of the dialog; the label unless given. */
  readonly title?: string
  /** Of the button in the dialog; the label unless given. */
  readonly confirm?: string
  /** `danger` unless given. */
  readonly kind?: 'danger' | 'main'
  /** As for `useAsked`. */
  readonly needs?: 'farmgate' | 'game'
  readonly ask: () => Promise<unknown>
  /** Called when `ask` succeeded. */
  readonly onDone?: () => Promise<void>
  /** What the dialog shows when `ask` succeeded; without it, `onDone` removes the button from the page. */
  readonly done?: ComponentChildren
  /** What will happen, and to what. */
  readonly children: ComponentChildren
}

/** A button that opens a dialog, which describes the action and has the button for it. */
export function ConfirmButton(props: ConfirmButtonProps) {
  const { label, title = label, confirm = label, kind = 'danger', needs, ask, onDone, done, children } = props
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
          <AskButton of={asked} class={kind} onClick={() => void run()}>
            {confirm}
          </AskButton>
        )}
      </div>
    </DialogButton>
  )
}
