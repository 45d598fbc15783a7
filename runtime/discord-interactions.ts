/** `POST /discord/interactions`, which Discord calls for each command that somebody gives (docs/discord.md). */
import { withTimeLimit } from '../process/time-limit.ts'
import { farmCommands } from './discord/farm-commands.ts'
import { subcommandOf } from './discord/interaction.ts'
import { lateReplies } from './discord/late-reply.ts'
import { deferred, refusal, replied } from './discord/reply.ts'
import { type DiscordSettings, notSetUp, signedCommands } from './discord/signed-commands.ts'
import { type CommandParts, type CommandRequest, commandAnswers } from './discord-command.ts'
import type { Answer } from './http/answer.ts'
import type { Log } from './log.ts'
import { version } from './version.ts'

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

/** Milliseconds that a command may take before its answer is deferred, because Discord waits for three seconds. */
const answerWithin = 2000

/** @returns a function that throws {Problem} what `signedCommands` and `notSetUp` throw */
export function answerInteractions(parts: InteractionsParts) {
  const { discord, log } = parts
  if (discord === undefined) return notSetUp
  const read = signedCommands({ ...parts, publicKey: discord.publicKey })
  const answer = commandAnswers(parts)
  const sendLate = lateReplies({
    apiUrl: discord.apiUrl,
    userAgent: `DiscordBot (farmgate, ${version})`,
    log,
  })
  return async ({ request, ...by }: InteractionRequest): Promise<Answer> => {
    const got = await read(request, by.caller)
    if ('answer' in got) return got.answer
    const { command } = got
    const reply = answer(command, by)
    const soon = await withTimeLimit(answerWithin, reply, () => new Error('late')).catch(() => undefined)
    if (soon === 'repeated') return replied(refusal('This command was answered before.'))
    if (soon !== undefined) return replied(soon)
    const isPrivate = farmCommands.get(subcommandOf(command).name ?? '')?.isPublic !== true
    void reply.then((late) => {
      if (late !== 'repeated') return sendLate(command, isPrivate, late)
    })
    return deferred(isPrivate)
  }
}
