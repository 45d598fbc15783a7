import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { discordProvider } from './discord.ts'
import { oidcProvider } from './oidc.ts'
import type { Provider } from './provider.ts'

/** The variables of sign-in; the configuration has checked that they are complete. */
export interface SignInVariables {
  readonly PUBLIC_URL?: string | undefined
  readonly SIGN_IN_DISCORD_CLIENT_ID?: string | undefined
  readonly SIGN_IN_DISCORD_CLIENT_SECRET?: string | undefined
  readonly SIGN_IN_OIDC_ISSUER?: string | undefined
  readonly SIGN_IN_OIDC_CLIENT_ID?: string | undefined
  readonly SIGN_IN_OIDC_CLIENT_SECRET?: string | undefined
  readonly SIGN_IN_OIDC_NAME?: string | undefined
  readonly DISCORD_API_URL: string
}

interface ProviderParts extends Pick<Clock, 'monotonic'> {
  /** The ids of the Discord servers whose roles may give scopes. */
  readonly servers: () => Promise<readonly string[]>
  readonly log: Pick<Log, 'warn'>
}

/** The providers that are set up. */
export function providersOf(
  config: SignInVariables,
  { servers, monotonic, log }: ProviderParts,
): readonly Provider[] {
  const clientOf = (id: string | undefined, secret: string | undefined) =>
    id === undefined || secret === undefined ? undefined : { id, secret }
  const discord = clientOf(config.SIGN_IN_DISCORD_CLIENT_ID, config.SIGN_IN_DISCORD_CLIENT_SECRET)
  const oidc = clientOf(config.SIGN_IN_OIDC_CLIENT_ID, config.SIGN_IN_OIDC_CLIENT_SECRET)
  const { SIGN_IN_OIDC_ISSUER: issuer, DISCORD_API_URL: apiUrl } = config
  return [
    ...(discord === undefined ? [] : [discordProvider({ client: discord, apiUrl, servers, log })]),
    ...(oidc === undefined || issuer === undefined
      ? []
      : [
          oidcProvider({
            client: oidc,
            issuer,
            name: config.SIGN_IN_OIDC_NAME ?? new URL(issuer).hostname,
            monotonic,
            log,
          }),
        ]),
  ]
}
