import type { ComponentChildren } from 'preact'
import { AskButton } from './ask-button.tsx'
import { useAsked } from './asked.ts'
import { Trouble } from './trouble.tsx'

export interface AskFormProps {
  /** `form` unless given. */
  readonly class?: string
  /** Sends what the fields contain. */
  readonly ask: () => Promise<unknown>
  /** As for `useAsked`. */
  readonly needs?: 'farmgate' | 'game'
  /** Of the button. */
  readonly label: string
  /** `main` unless given. */
  readonly look?: 'danger' | 'main'
  /** The fields are not complete, or nothing would change. */
  readonly disabled?: boolean
  /** Shown while the request is pending. */
  readonly busy?: string
  /** The fields. */
  readonly children: ComponentChildren
}

/** A form that sends one request: its fields, the failure, and the button. */
export function AskForm(props: AskFormProps) {
  const { class: name = 'form', ask, needs, label, look = 'main', disabled = false, busy, children } = props
  const asked = useAsked(needs)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (!disabled) void asked.run(ask)
  }
  return (
    <form class={name} onSubmit={submit}>
      {children}
      <Trouble error={asked.error.value} />
      {busy !== undefined && asked.isBusy.value && <p role="status">{busy}</p>}
      <AskButton of={asked} class={look} disabled={disabled}>
        {label}
      </AskButton>
    </form>
  )
}
