import { CopyButton } from './copy-button.tsx'

export interface SecretProps {
  readonly hint: string
  readonly secret: string
  /** The purpose of the secret. */
  readonly of: string
}

/** A secret that is shown only here, to be copied. */
export function Secret({ hint, secret, of }: SecretProps) {
  return (
    <>
      <p>{hint}</p>
      <code class="secret">{secret}</code>
      <div class="buttons">
        <CopyButton text={secret} of={of} />
      </div>
    </>
  )
}
