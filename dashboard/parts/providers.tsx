/** The buttons of the providers with which people sign in; none where no provider is set up. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { signInAddress, signInFailure } from '../session/person.ts'
import { publicFarm } from '../session/session.ts'
import { texts } from '../texts/texts.ts'

export function Providers() {
  const { signIn: text } = texts.value
  const found = useSignal<readonly { id: string; name: string }[]>([])
  useEffect(() => {
    // A farm of an earlier release, or one that is offline at its edge, offers keys only.
    void publicFarm.signInProviders().then(
      ({ providers }) => {
        found.value = providers
      },
      () => undefined,
    )
  }, [])
  const failure = signInFailure.value
  return (
    <>
      {failure !== undefined && (
        <p class="trouble" role="alert">
          {failure === 'denied' ? text.denied : failure === 'full' ? text.full : text.failed}
        </p>
      )}
      {found.value.length > 0 && (
        <div class="buttons">
          {found.value.map(({ id, name }) => (
            <button key={id} type="button" class="main" onClick={() => location.assign(signInAddress(id))}>
              {text.withAccount(name)}
            </button>
          ))}
        </div>
      )}
    </>
  )
}
