/** A farm where people sign in with the providers of a stand-in. */

import { providersOf } from '../../services/accounts/providers-of.ts'
import type { SignInUnderTest } from '../contract/server-under-test.ts'
import { recorder } from '../logs.ts'
import { client, type Issuer } from './issuer.ts'

export const signInWith = (
  issuer: Pick<Issuer, 'url' | 'discordUrl'>,
  publicUrl: string,
  more: Partial<SignInUnderTest> = {},
): SignInUnderTest => ({
  publicUrl,
  providers: (records) =>
    providersOf(
      {
        PUBLIC_URL: publicUrl,
        SIGN_IN_DISCORD_CLIENT_ID: client.id,
        SIGN_IN_DISCORD_CLIENT_SECRET: client.secret,
        SIGN_IN_OIDC_ISSUER: issuer.url,
        SIGN_IN_OIDC_CLIENT_ID: client.id,
        SIGN_IN_OIDC_CLIENT_SECRET: client.secret,
        SIGN_IN_OIDC_NAME: 'Valley ID',
        DISCORD_API_URL: issuer.discordUrl,
      },
      {
        servers: async () => (await records.calls.storedDiscordServers()).map(({ id }) => id),
        monotonic: () => performance.now(),
        log: recorder([]),
      },
    ),
  ...more,
})
