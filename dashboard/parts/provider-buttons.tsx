import { signInAddress, signInFailure } from '../session/person.ts'
import { accountsTexts } from '../texts/accounts.ts'

interface ProviderButtonsProps {
  readonly providers: readonly { readonly id: string; readonly name: string }[]
}

const isKnown = (failure: string) => failure === 'denied' || failure === 'full' || failure === 'offline'

/** A button for each provider, and why the last sign-in failed. */
export function ProviderButtons({ providers }: ProviderButtonsProps) {
  const text = accountsTexts.value
  const failure = signInFailure.value
  return (
    <>
      {failure !== undefined && (
        <p class="trouble" role="alert">
          {isKnown(failure) ? text[failure] : text.failed}
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
