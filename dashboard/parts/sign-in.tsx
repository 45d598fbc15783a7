/** Signing in with a key: the form, and a stored key that was refused. */
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { FarmgateError } from '../../client/index.ts'
import { texts } from '../texts/texts.ts'
import { AskButton, Trouble, useAsked } from './asked.tsx'
import { Icon } from './icon.tsx'

interface SignInProps {
  /** Where to get a key. */
  readonly hint: string
  /** Why the stored key is not accepted. */
  readonly refused: 'wrong-key' | 'ended-key' | undefined
  /** @throws {FarmgateError} */
  signIn(key: string, onDevice: boolean): Promise<void>
  /** Tries the stored key again. @throws {FarmgateError} */
  again(): Promise<void>
  signOut(): void
  /** Shown before the field, unless a stored key was refused. */
  readonly children?: ComponentChildren
}

export function SignIn({ hint, refused, signIn, again, signOut, children }: SignInProps) {
  const { signIn: text } = texts.value
  const key = useSignal('')
  const onDevice = useSignal(false)
  const asked = useAsked()
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    void asked.run(async () => {
      if (key.value.trim() === '') throw new FarmgateError('empty', '')
      await signIn(key.value.trim(), onDevice.value)
    })
  }
  return (
    <form class="card sign-in" onSubmit={submit} noValidate>
      <h2>{text.title}</h2>
      {refused === undefined ? children : <RefusedKey refused={refused} again={again} signOut={signOut} />}
      <label>
        {text.key}
        <input
          type="password"
          name="key"
          autocomplete="current-password"
          value={key.value}
          aria-invalid={asked.error.value !== undefined}
          aria-describedby="key-hint"
          onInput={({ currentTarget }) => {
            key.value = currentTarget.value
          }}
        />
      </label>
      <p id="key-hint" class="quiet">
        {hint}
      </p>
      <label class="check">
        <input
          type="checkbox"
          checked={onDevice.value}
          onChange={({ currentTarget }) => {
            onDevice.value = currentTarget.checked
          }}
        />
        <span>
          {text.onDevice} <span class="quiet">{text.onDeviceHint}</span>
        </span>
      </label>
      <Trouble error={asked.error.value} />
      <AskButton of={asked} class="main with-icon">
        <Icon name="keys" />
        {asked.isBusy.value ? text.busy : text.submit}
      </AskButton>
    </form>
  )
}

/** The stored key was refused: it stays until the user signs out. */
function RefusedKey({
  refused,
  again,
  signOut,
}: Pick<SignInProps, 'again' | 'signOut'> & { readonly refused: 'wrong-key' | 'ended-key' }) {
  const { signIn: text, shell, tryAgain } = texts.value
  const asked = useAsked()
  return (
    <div class="trouble" role="alert">
      <p>
        <strong>{refused === 'wrong-key' ? text.keptRefused : text.keptEnded}</strong> {text.keptCure}
      </p>
      <div class="buttons">
        <AskButton of={asked} onClick={() => void asked.run(() => again())}>
          {tryAgain}
        </AskButton>
        <button type="button" onClick={signOut}>
          {shell.signOut}
        </button>
      </div>
    </div>
  )
}
