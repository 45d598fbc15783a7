import { signInAddress, signInFailure } from '../session/person.ts'
import { accountsTexts } from '../texts/accounts.ts'

interface ProviderButtonsProps {
  readonly providers: readonly { readonly id: string; readonly name: string }[]
}

const known = ['denied', 'full', 'offline', 'foreign'] as const

/** A button for each provider, and why the last sign-in failed. */
export function ProviderButtons({ providers }: ProviderButtonsProps) {
  const text = accountsTexts.value
  const failure = signInFailure.value
  return (
    <>
      {failure !== undefined && (
        <p class="trouble" role="alert">
          {text[known.find((one) => one === failure) ?? 'failed']}
        </p>
      )}
      <div class="buttons">
        {providers.map(({ id, name }) => (
          <button key={id} type="button" class="main" onClick={() => location.assign(signInAddress(id))}>
            {text.withAccount(name)}
          </button>
        ))}
      </div>
    </>
  )
}
