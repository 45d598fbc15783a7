/** Fields of a form, each bound to a signal. */
import type { Signal } from '@preact/signals'
import type { ComponentProps } from 'preact'

type FieldProps = ComponentProps<'input'> & {
  readonly label: string
  readonly of: Signal<string>
}

export const Field = ({ label, of, ...more }: FieldProps) => (
  <label>
    {label}
    <input
      autocomplete="off"
      {...more}
      value={of.value}
      onInput={({ currentTarget }) => {
        of.value = currentTarget.value
      }}
    />
  </label>
)

interface ChoiceProps<One extends string | number> {
  readonly label: string
  /** What can be chosen, in order. */
  readonly among: readonly One[]
  readonly of: { value: One }
  readonly texts: (one: One) => string
}

/** One of a few things, from a list. */
export const Choice = <One extends string | number>({ label, among, of, texts }: ChoiceProps<One>) => (
  <label>
    {label}
    <select
      value={of.value}
      onChange={({ currentTarget }) => {
        of.value = among.find((one) => String(one) === currentTarget.value) ?? of.value
      }}
    >
      {among.map((one) => (
        <option key={one} value={one}>
          {texts(one)}
        </option>
      ))}
    </select>
  </label>
)

interface CheckProps {
  readonly label: string
  readonly of: Signal<boolean>
}

export const Check = ({ label, of }: CheckProps) => (
  <label class="check">
    <input
      type="checkbox"
      checked={of.value}
      onChange={({ currentTarget: { checked } }) => {
        of.value = checked
      }}
    />
    <span>{label}</span>
  </label>
)
