/** `POST /discord/interactions`, which Discord calls for each command that somebody gives (docs/discord.md). */
import { Problem } from '../handlers/problem.ts'
import { onceAMinute } from '../process/once-a-minute.ts'
import { withTimeLimit } from '../process/time-limit.ts'
import { farmCommands } from './discord/farm-commands.ts'
import { isCommand, isPing, readInteraction, subcommandOf } from './discord/interaction.ts'
import { lateReplies } from './discord/late-reply.ts'
import { deferred, pong, refusal, replied } from './discord/reply.ts'
import { discordSignature } from './discord/signature.ts'
import { type CommandParts, type CommandRequest, commandAnswers } from './discord-command.ts'
import type { Answer } from './http/answer.ts'
import { readBytes } from './http/body.ts'
import type { Log } from './log.ts'
import { version } from './version.ts'

export interface DiscordSettings {
  /** Public key of the application, 64 hexadecimal digits. */
  readonly publicKey: string
  /** Address of the API of Discord. */
  readonly apiUrl: string
}

export interface InteractionsParts extends CommandParts {
  /** Undefined where Discord is not set up. */
  readonly discord?: DiscordSettings | undefined
  readonly log: Log
  /** Milliseconds of a monotonic clock. */
  monotonic(): number
}

interface InteractionRequest extends CommandRequest {
  readonly request: Request
}

export const interactionsPath = '/discord/interactions'
/** Maximum of bytes of a body; a command of farmgate has a few thousand. */
export const maxInteraction = 64 * 1024
/** Milliseconds that a command may take before its answer is deferred, because Discord waits for three seconds. */
const answerWithin = 2000

/** @returns a function that throws {Problem} not_found, payload_too_large, unauthorized, malformed_request */
export function answerInteractions(parts: InteractionsParts) {
  const { discord, log } = parts
  if (discord === undefined)
    return () => {
      throw notSetUp()
    }
  const isSigned = discordSignature(discord.publicKey, parts.now, lateNotice(log, parts.monotonic))
  const answer = commandAnswers(parts)
  const sendLate = lateReplies({
    apiUrl: discord.apiUrl,
    userAgent: `DiscordBot (farmgate, ${version})`,
    log,
  })
  return async ({ request, ...by }: InteractionRequest): Promise<Answer> => {
    const body = await readBytes(request, maxInteraction, by.caller.over)
    if (!(await isSigned(body, by.caller))) throw notSigned()
    const interaction = readInteraction(body)
    if (isPing(interaction)) return pong()
    if (!isCommand(interaction)) return replied(refusal('farmgate makes no such messages.'))
    const reply = answer(interaction, by)
    const soon = await withTimeLimit(answerWithin, reply, () => new Error('late')).catch(() => undefined)
    if (soon === 'repeated') return replied(refusal('This command was answered before.'))
    if (soon !== undefined) return replied(soon)
    const isPrivate = farmCommands.get(subcommandOf(interaction).name ?? '')?.isPublic !== true
    void reply.then((late) => {
      if (late !== 'repeated') return sendLate(interaction, isPrivate, late)
    })
    return deferred(isPrivate)
  }
}

/** Logs, at most once a minute, that requests which Discord signed were refused because of their time. */
export function lateNotice(log: Pick<Log, 'warn'>, monotonic: () => number): () => void {
  const note = onceAMinute(
    (_late: undefined, requests) =>
      log.warn({ requests }, 'refused commands of Discord: their time is not that of this machine'),
    monotonic,
  )
  return () => note(undefined)
}

export const notSetUp = () =>
  new Problem('not_found', 'Discord is not set up here: DISCORD_PUBLIC_KEY is not set', {
    path: interactionsPath,
  })

/** The same problem for a signature that is wrong and for one that is too old. */
export const notSigned = () =>
  new Problem('unauthorized', 'Discord has not signed this request, or not lately')
