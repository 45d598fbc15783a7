/** `POST /discord/interactions`, which Discord calls for each command of a member (docs/notifications.md). */
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { withTimeLimit } from '../../lib/time-limit.ts'
import { version } from '../../lib/version.ts'
import { type CommandParts, type CommandRequest, commandAnswers } from './command.ts'
import { farmCommands } from './farm-commands.ts'
import { subcommandOf } from './interaction.ts'
import { lateReplies } from './late-reply.ts'
import { deferred, refusal, replied } from './reply.ts'
import { type DiscordSettings, notSetUp, type ReadBytes, signedCommands } from './signed-commands.ts'

interface InteractionsParts extends CommandParts, Pick<Clock, 'now' | 'monotonic'> {
  /** Undefined where Discord is not set up. */
  readonly discord?: DiscordSettings | undefined
  readonly readBytes: ReadBytes
  readonly log: Log
}

interface InteractionRequest extends CommandRequest {
  readonly request: Request
}

/** Milliseconds that a command may take before its answer is deferred, because Discord waits for three seconds. */
const answerWithin = 2000

/** @returns a function that makes the JSON of the answer, and throws {Problem} those of `signedCommands` and `notSetUp` */
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
  return async ({ request, ...by }: InteractionRequest): Promise<string> => {
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
