/** A form that changes one thing: it shows the effect, and then what the server confirmed. */
import { type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { AskButton, Trouble, useAsked } from '../../parts/asked.tsx'
import { controlsTexts } from './texts.ts'

export interface ControlProps {
  readonly title: string
  /** Describes the effect. */
  readonly hint: string
  readonly label: string
  readonly children?: ComponentChildren
  /** @returns what the server confirmed, as text */
  readonly change: () => Promise<string>
}

export function Control({ title, hint, label, children, change }: ControlProps) {
  const asked = useAsked('game')
  const confirmed = useSignal<string | undefined>(undefined)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    confirmed.value = undefined
    void asked.run(async () => {
      confirmed.value = await change()
    })
  }
  return (
    <form class="card form" onSubmit={submit}>
      <h2>{title}</h2>
      <p class="quiet will">{hint}</p>
      <div class="row">
        {children}
        <AskButton of={asked} class="main">
          {asked.isBusy.value ? controlsTexts.value.busy : label}
        </AskButton>
      </div>
      <Trouble error={asked.error.value} />
      <p role="status" class="confirmed">
        {confirmed.value}
      </p>
    </form>
  )
}

export interface ChoiceProps {
  readonly label: string
  /** Undefined while none was chosen. */
  readonly chosen: Signal<number | undefined>
  /** The present value; undefined while it is unknown: the user must choose one then. */
  readonly now?: number | undefined
  /** The choices, in order. The chosen or present value is added where it is not among them. */
  readonly of: readonly number[]
  readonly name: (value: number) => string
}

export function Choice({ label, chosen, now, of, name }: ChoiceProps) {
  const value = chosen.value ?? now
  const all =
    value === undefined || of.includes(value) ? of : [...of, value].sort((one, other) => one - other)
  return (
    <select
      aria-label={label}
      value={value ?? ''}
      required
      onChange={({ currentTarget }) => {
        chosen.value = Number(currentTarget.value)
      }}
    >
      {value === undefined && (
        <option value="" disabled>
          {controlsTexts.value.choose}
        </option>
      )}
      {all.map((one) => (
        <option key={one} value={one}>
          {name(one)}
        </option>
      ))}
    </select>
  )
}
