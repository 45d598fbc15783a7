/** Requests as Discord sends them: signed with Ed25519 over the timestamp and the bytes of the body. */
import { generateKeyPairSync, randomInt, sign } from 'node:crypto'
import { ask, type Reply } from '../contract/request.ts'

const { publicKey, privateKey } = generateKeyPairSync('ed25519')

/** The public key of the tests' application, as Discord's page shows it. */
export const discordKey = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex')

/** Ids as Discord makes them: each unique. */
export const newId = (): string => `${Date.now()}${randomInt(100_000, 999_999)}`

export interface Signing {
  /** Unix time in seconds, now unless given. */
  readonly timestamp?: string
  /** Sent instead of the signed body. */
  readonly sent?: string
  readonly headers?: Record<string, string>
}

export const signatureOf = (timestamp: string, body: string): string =>
  sign(null, Buffer.from(timestamp + body), privateKey).toString('hex')

export const nowInSeconds = (): string => String(Math.floor(Date.now() / 1000))

/** Sends a text as an interaction. */
export function sendSigned(
  server: { readonly url: string },
  body: string,
  { timestamp = nowInSeconds(), sent = body, headers = {} }: Signing = {},
): Promise<Reply> {
  return ask(server, 'POST', '/discord/interactions', {
    headers: {
      'Content-Type': 'application/json',
      'X-Signature-Ed25519': signatureOf(timestamp, body),
      'X-Signature-Timestamp': timestamp,
      ...headers,
    },
    body: sent,
  })
}

export interface Command {
  readonly guild: string
  /** Ids of the roles that the user has. */
  readonly roles?: readonly string[]
  /** Bitwise, as Discord writes them. */
  readonly permissions?: string
  readonly user?: string
  readonly id?: string
  /** Values of the subcommand's options. */
  readonly given?: Readonly<Record<string, string | number>>
}

/** The body of `/farm <name>`, as Discord's documents show it. */
export function commandBody(name: string, command: Command): string {
  const { guild, roles = [], permissions = '0', user = '53908232506183680', id = newId() } = command
  return JSON.stringify({
    app_permissions: '442368',
    application_id: '845027738276462632',
    authorizing_integration_owners: { 0: guild },
    channel_id: '772908445358620702',
    context: 0,
    data: {
      id: '866818195033292851',
      name: 'farm',
      type: 1,
      options: [
        {
          name,
          type: 1,
          options: Object.entries(command.given ?? {}).map(([option, value]) => ({
            name: option,
            type: typeof value === 'number' ? 4 : 3,
            value,
          })),
        },
      ],
    },
    entitlements: [],
    guild_id: guild,
    guild_locale: 'en-US',
    id,
    locale: 'en-US',
    member: {
      avatar: null,
      deaf: false,
      joined_at: '2017-03-13T19:19:14.040000+00:00',
      mute: false,
      nick: null,
      pending: false,
      permissions,
      premium_since: null,
      roles,
      user: { avatar: 'a_d5efa99b3eeaa7dd43acca82f5692432', discriminator: '0', id: user, username: 'mason' },
    },
    token: `token-of-${id}`,
    type: 2,
    version: 1,
  })
}

export const sendCommand = (
  server: { readonly url: string },
  name: string,
  command: Command,
): Promise<Reply> => sendSigned(server, commandBody(name, command))
