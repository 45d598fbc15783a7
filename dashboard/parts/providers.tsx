import { signInFailure } from '../session/person.ts'
import { publicFarm } from '../session/session.ts'
import { later } from './later.tsx'

/** The buttons of the providers with which people sign in; nothing where no provider is set up. */
export const Providers = later<object>(async () => {
  // A farm of an earlier release, or one that is offline at its edge, offers keys only.
  const { providers } = await publicFarm.signInProviders().catch(() => ({ providers: [] }))
  if (providers.length === 0 && signInFailure.value !== 'offline') return () => null
  const { ProviderButtons } = await import('./provider-buttons.tsx')
  return () => <ProviderButtons providers={providers} />
})
