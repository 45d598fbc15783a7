/** Registers `/farm` in Discord, with the token of the application's bot, which is used only for this. */

import * as v from 'valibot'
import { bodyText } from '../../lib/foreign/body-text.ts'
import { foreignValue } from '../../lib/foreign/read.ts'
import { httpAddress } from '../../lib/values.ts'
import { variablesOf } from '../connection/variables.ts'
import { exitCodes } from '../outcome/exit-codes.ts'
import { Failure, wrongUsage } from '../outcome/failure.ts'
import type { Context } from '../terminal/context.ts'
import { askSecret } from '../terminal/secret.ts'

const variables = {
  schema: v.object({
    DISCORD_BOT_TOKEN: v.optional(v.string()),
    DISCORD_API_URL: v.optional(httpAddress, 'https://discord.com/api/v10'),
  }),
  traits: { DISCORD_BOT_TOKEN: { secret: true, file: true }, DISCORD_API_URL: { secret: true } },
} as const

const application = v.object({ id: v.string(), name: v.string(), verify_key: v.string() })
/** The body of an error answer of Discord (https://discord.com/developers/docs/reference#error-messages). */
const problem = v.object({ message: v.string(), retry_after: v.optional(v.number()) })

/** Milliseconds in which Discord must answer. */
const timeout = 15_000

/**
 * @param server id of the one Discord server that gets the command; if undefined, all that have the application get it
 * @returns the name of the application, and the value for `DISCORD_PUBLIC_KEY`
 * @throws {Failure} the token is wrong, Discord refuses the command, or does not answer
 */
export async function registerCommands(context: Context, server: string | undefined) {
  const values = variablesOf(variables, context.env)
  const token = values.DISCORD_BOT_TOKEN ?? (await askSecret(context, 'Token of the bot (not shown): '))
  if (!/^[\x21-\x7e]+$/.test(token))
    throw wrongUsage('A bot token has no blanks.', 'Set DISCORD_BOT_TOKEN, or pipe the token in.')
  const ask = discordApi(values.DISCORD_API_URL, token, context.interrupted())
  const found = v.safeParse(application, await ask('GET', '/applications/@me'))
  if (!found.success) throw unexpected()
  const { id, name, verify_key: publicKey } = found.output
  const { everywhere, farmDefinition } = await import('../../services/discord/definition.ts')
  // Discord replaces the command of this name, and leaves others of the application as they are.
  if (server === undefined)
    await ask('POST', `/applications/${id}/commands`, { ...farmDefinition, ...everywhere })
  else await ask('POST', `/applications/${id}/guilds/${server}/commands`, farmDefinition)
  return { application: name, publicKey }
}

const discordApi =
  (url: string, token: string, interrupted: AbortSignal) =>
  async (method: string, path: string, body?: object): Promise<unknown> => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: {
        Authorization: `Bot ${token}`,
        'User-Agent': 'DiscordBot (farmgate, 1)',
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      redirect: 'manual',
      signal: AbortSignal.any([interrupted, AbortSignal.timeout(timeout)]),
    }).catch(() => undefined)
    interrupted.throwIfAborted()
    if (answer === undefined)
      throw new Failure(
        exitCodes.notReachable,
        'Discord does not answer.',
        'Check that this machine reaches discord.com, or set DISCORD_API_URL to a proxy.',
      )
    const content = await bodyOf(answer)
    if (answer.ok) return content
    throw refusal(answer, content)
  }

/** Bytes of one answer. */
const maxAnswer = 1024 * 1024

async function bodyOf(answer: Response): Promise<unknown> {
  const read = await bodyText(answer.body, maxAnswer)
  return 'text' in read ? foreignValue(read.text) : undefined
}

function refusal({ status, headers }: Response, content: unknown): Failure {
  const said = v.safeParse(problem, content)
  const message = said.success ? said.output.message : `HTTP ${status}`
  if (status === 401)
    return new Failure(
      exitCodes.refused,
      'Discord does not accept the token.',
      'Take the token of the bot, not the public key or the client secret: the page Bot of the application.',
    )
  if (status === 429) {
    const seconds = (said.success ? said.output.retry_after : undefined) ?? headers.get('retry-after') ?? 60
    return new Failure(
      exitCodes.refused,
      `Discord takes no more requests for ${Math.ceil(Number(seconds))} s.`,
      'Try again then.',
    )
  }
  if (status === 403 || status === 404)
    return new Failure(
      exitCodes.refused,
      `Discord refuses it: ${message}`,
      'Install the application into that Discord server, with the scope applications.commands.',
    )
  return status < 500 ? new Failure(exitCodes.failed, `Discord refuses it: ${message}`) : unexpected()
}

const unexpected = () =>
  new Failure(
    exitCodes.notReachable,
    'The answer is not from Discord, or Discord has a fault.',
    'Try again later.',
  )
