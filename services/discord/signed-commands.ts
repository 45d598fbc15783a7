/**
 * The requests that Discord signs: the farm's server and the edge verify them, and answer those that are not commands.
 */
import { Problem } from '../../handlers/problem.ts'
import type { Clock } from '../../lib/clock.ts'
import { onceAMinute } from '../../lib/once-a-minute.ts'
import type { CommandCaller } from './command.ts'
import { type CommandInteraction, isCommand, isPing, readInteraction } from './interaction.ts'
import { pong, refusal, replied } from './reply.ts'
import { discordSignature } from './signature.ts'

export interface DiscordSettings {
  /** Public key of the application, 64 hexadecimal digits. */
  readonly publicKey: string
  /** Address of the API of Discord. */
  readonly apiUrl: string
}

/** Reads the body of a request. @throws {Problem} payload_too_large, malformed_request */
export type ReadBytes = (
  request: Request,
  maxBytes: number,
  over: AbortSignal | undefined,
) => Promise<Uint8Array<ArrayBuffer>>

interface SignedCommandsParts extends Pick<DiscordSettings, 'publicKey'>, Pick<Clock, 'now' | 'monotonic'> {
  readonly readBytes: ReadBytes
  readonly log: { warn(fields: object, message: string): void }
}

/** A command with the signed bytes, or the JSON of the answer to any other request. */
export type SignedRequest =
  | { readonly command: CommandInteraction; readonly body: Uint8Array<ArrayBuffer> }
  | { readonly answer: string }

export const interactionsPath = '/discord/interactions'
/** Maximum of bytes of a body; a command of farmgate has a few thousand. */
const maxInteraction = 64 * 1024

/** Replaces `signedCommands` where Discord is not set up. @throws {Problem} not_found */
export async function notSetUp(): Promise<never> {
  throw new Problem('not_found', 'Discord is not set up here: DISCORD_PUBLIC_KEY is not set', {
    path: interactionsPath,
  })
}

/** @returns a function that throws {Problem} payload_too_large, unauthorized, malformed_request */
export function signedCommands({ publicKey, readBytes, log, now, monotonic }: SignedCommandsParts) {
  const noteLate = onceAMinute(
    (_late: undefined, requests) =>
      log.warn({ requests }, 'refused commands of Discord: their time is not that of this machine'),
    monotonic,
  )
  const isSigned = discordSignature(publicKey, now, () => noteLate(undefined))
  return async (request: Request, caller: Pick<CommandCaller, 'header' | 'over'>): Promise<SignedRequest> => {
    const body = await readBytes(request, maxInteraction, caller.over)
    // The same problem for a wrong signature and for an expired one.
    if (!(await isSigned(body, caller)))
      throw new Problem('unauthorized', 'Invalid or expired Discord signature')
    const interaction = readInteraction(body)
    if (isPing(interaction)) return { answer: pong() }
    if (isCommand(interaction)) return { command: interaction, body }
    return { answer: replied(refusal('farmgate makes no such messages.')) }
  }
}
