/**
 * Discord's OAuth 2.0 (https://discord.com/developers/docs/topics/oauth2). It has no ID token: the person is who the
 * token's own calls of Discord's API name.
 */

import * as oauth from 'oauth4webapi'
import * as v from 'valibot'
import { snowflake } from '../../handlers/discord-record.ts'
import { sleep, systemClock } from '../../lib/clock.ts'
import { bodyText } from '../../lib/foreign/body-text.ts'
import { listOf, readForeign } from '../../lib/foreign/read.ts'
import type { Log } from '../../lib/log.ts'
import {
  authorizationUrl,
  type Client,
  clientOf,
  failures,
  type Provider,
  requestOptions,
  shownName,
  tokensFor,
} from './provider.ts'

const user = v.object({ id: snowflake, username: v.string(), global_name: v.nullish(v.string()) })
const member = v.object({ roles: listOf(snowflake, 1000) })
/** Discord servers that one sign-in asks for the roles of its person. */
const maxServers = 5
/** Bytes. */
const maxAnswer = 256 * 1024
/** Milliseconds that a sign-in waits altogether where Discord asks for it by `Retry-After`. */
const maxWait = 5_000

interface DiscordParts {
  readonly client: Client
  /** `https://discord.com/api/v10`. */
  readonly apiUrl: string
  /** The ids of the Discord servers whose roles may give scopes. */
  readonly servers: () => Promise<readonly string[]>
  readonly log: Pick<Log, 'warn'>
}

export function discordProvider({ client, apiUrl, servers, log }: DiscordParts): Provider {
  const shown = { id: 'discord', name: 'Discord' } as const
  const { origin } = new URL(apiUrl)
  const as = { issuer: origin, token_endpoint: `${apiUrl}/oauth2/token` }
  const { begin, end } = failures(shown, log)
  return {
    ...shown,
    pageOf: (attempt, callback) =>
      begin(async () =>
        authorizationUrl(`${origin}/oauth2/authorize`, client, attempt, {
          redirect_uri: callback,
          scope: (await servers()).length > 0 ? 'identify guilds.members.read' : 'identify',
        }),
      ),
    personOf: (answer, attempt, callback) =>
      end(async () => {
        const options = requestOptions(apiUrl)
        const [who, secret] = [clientOf(client), oauth.ClientSecretPost(client.secret)] as const
        const response = await tokensFor(as, who, secret, answer, attempt, callback, options)
        const { access_token: token, scope = '' } = await oauth.processAuthorizationCodeResponse(
          as,
          who,
          response,
        )
        const get = (path: string) =>
          oauth.protectedResourceRequest(token, 'GET', new URL(apiUrl + path), undefined, undefined, options)
        const read = async <T>(got: Response, schema: v.GenericSchema<unknown, T>): Promise<T> => {
          if (got.status !== 200) throw new TypeError(`Discord answered ${got.status}`)
          const answer = await bodyText(got.body, maxAnswer)
          const found = 'text' in answer ? readForeign(schema, answer.text) : undefined
          if (found === undefined) throw new TypeError('Discord answered something that is not its API')
          return found
        }
        const { id, username, global_name } = await read(await get('/users/@me'), user)
        let wait = maxWait
        /** None where Discord does not answer for this server, so that the person can sign in all the same. */
        const rolesAt = async (server: string): Promise<readonly string[]> => {
          const path = `/users/@me/guilds/${server}/member`
          try {
            let got = await get(path)
            const asked = Number(got.headers.get('retry-after') ?? Number.NaN) * 1000
            if (got.status === 429 && asked <= wait) {
              wait -= asked
              await sleep(systemClock, asked)
              got = await get(path)
            }
            // 404: not a member of this Discord server.
            return got.status === 404 ? [] : (await read(got, member)).roles
          } catch (error) {
            log.warn({ server, cause: String(error) }, 'a sign-in is without the roles of a Discord server')
            return []
          }
        }
        const groups: string[] = []
        if (scope.split(' ').includes('guilds.members.read'))
          for (const server of (await servers()).slice(0, maxServers)) groups.push(...(await rolesAt(server)))
        return { provider: 'discord', subject: id, name: shownName(global_name, username), groups }
      }),
  }
}
