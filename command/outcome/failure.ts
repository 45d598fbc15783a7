/** How a command ends without its result: a sentence, what to do, and an exit code. */
import { FarmgateError } from '../../client/index.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'

/** Ends a command. Only main.ts turns it into an exit code. */
export class Failure extends Error {
  readonly exitCode: ExitCode
  /** What the person can do, a sentence. */
  readonly remedy: string | undefined
  /** The body of the server's answer, for `--json`. */
  readonly body: unknown

  constructor(exitCode: ExitCode, message: string, remedy?: string, body?: unknown) {
    super(message)
    this.exitCode = exitCode
    this.remedy = remedy
    this.body = body
  }
}

export const wrongUsage = (message: string, remedy?: string) =>
  new Failure(exitCodes.wrongUsage, message, remedy)

/** @returns the failure that any error is for the person who typed the command */
export function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error
  if (!(error instanceof FarmgateError))
    return new Failure(exitCodes.failed, error instanceof Error ? error.message : String(error))
  const isUnanswered = error.status === undefined || error.code === 'bad_answer'
  const exitCode = isUnanswered ? codesWithoutStatus(error.code) : exitCodeOf(error.status ?? 0, error.code)
  return new Failure(exitCode, error.message, remedies[error.code], error.body)
}

const codesWithoutStatus = (code: string): ExitCode => {
  if (code === 'unreachable' || code === 'timeout' || code === 'bad_answer' || code === 'game_unavailable')
    return exitCodes.notReachable
  if (code === 'unauthorized' || code === 'insufficient_scope' || code === 'rate_limited')
    return exitCodes.refused
  if (code === 'invalid_payload' || code === 'message_too_long') return exitCodes.wrongUsage
  return exitCodes.failed
}

/** @param code the `code` of the answer's body, or nothing */
export function exitCodeOf(status: number, code: string): ExitCode {
  if (status < 400) return exitCodes.done
  if (status === 404) return exitCodes.notFound
  if ([401, 403, 409, 429].includes(status)) return exitCodes.refused
  if ([400, 405, 413, 414, 415, 426, 431].includes(status)) return exitCodes.wrongUsage
  return code === 'game_unavailable' ? exitCodes.notReachable : exitCodes.failed
}

const remedies: Readonly<Record<string, string>> = {
  unreachable: 'Check the address, and that farmgate runs there; farmgate doctor looks for the cause.',
  timeout: 'Check the address, and that farmgate runs there; farmgate doctor looks for the cause.',
  bad_answer:
    'Check the address: it is the one in front of /status, with the path of the farm if it has one.',
  unauthorized: 'Give the key of this farm: farmgate login <url>, FARMGATE_KEY, or --key-file.',
  insufficient_scope: 'Use a key that may do this: farmgate keys lists them.',
  rate_limited: 'Wait a minute, and try again.',
  ambiguous_name: 'Use the id in place of the name; the list shows it.',
  farmhand_online: 'Try again when the player has left.',
  players_connected: 'Try again when all players have left.',
  save_in_progress: 'Try again when the new day has begun.',
  server_not_ready: 'Try again when the new day has begun.',
  game_unavailable: 'Check that the game server runs; farmgate doctor looks for the cause.',
  game_timeout: 'Look whether the change was made before you try again.',
  outcome_unknown: 'Look whether the line was said before you say it again.',
  not_found: 'The paths are listed at /docs of the farm.',
  player_not_found: 'farmgate players lists who is connected.',
  farmhand_not_found: 'farmgate farmhands lists them.',
  unsupported: 'This game server cannot do it.',
}
