/** Forms and dialogs that send one request, and their fields, each bound to a signal. */
import { type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren, ComponentProps } from 'preact'
import { AskButton, Trouble, useAsked } from './asked.tsx'
import { DialogButton } from './dialog.tsx'

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
  readonly of: { value: One | undefined }
  /** What is shown as chosen, where that can differ. */
  readonly value?: One | undefined
  readonly texts: (one: One) => string
}

/** One of a few things, from a list. */
export const Choice = <One extends string | number>({
  label,
  among,
  of,
  value = of.value,
  texts,
}: ChoiceProps<One>) => (
  <label>
    {label}
    <select
      value={value}
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

export const Check = ({ label, of }: { readonly label: string; readonly of: Signal<boolean> }) => (
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

export interface CheckListProps<One extends string> {
  readonly legend: string
  readonly class?: string
  /** The choices, in order. */
  readonly of: readonly One[]
  readonly chosen: readonly One[]
  /** Its name and its description. */
  readonly texts: (one: One) => readonly string[]
  /** @param chosen in order */
  readonly onChange: (chosen: readonly One[]) => void
}

/** A choice of any number of a few things. */
export function CheckList<One extends string>(props: CheckListProps<One>) {
  const { legend, of, chosen, texts, onChange } = props
  return (
    <fieldset class={props.class}>
      <legend>{legend}</legend>
      {of.map((one) => {
        const [name, more] = texts(one)
        return (
          <label key={one} class="check">
            <input
              type="checkbox"
              checked={chosen.includes(one)}
              onChange={({ currentTarget: { checked } }) =>
                onChange(of.filter((other) => (other === one ? checked : chosen.includes(other))))
              }
            />
            <span>
              {name} {more !== undefined && <span class="quiet">{more}</span>}
            </span>
          </label>
        )
      })}
    </fieldset>
  )
}

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
    <DialogButton
      label={label}
      title={title}
      look={kind === 'danger' ? kind : undefined}
      onClose={() => {
        isDone.value = false
      }}
    >
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
