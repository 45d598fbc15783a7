/** Why the live connection of a command does not open, and how a refusal of it ends the command. */
import type { FarmgateError, Live } from '../../client/index.ts'
import { exitCodes } from '../outcome/exit-codes.ts'
import { Failure, failureOf } from '../outcome/failure.ts'

/** The cause of an outage as a note; a refusal is the command's error instead. */
export const outageNote = ({ message }: Pick<FarmgateError, 'message'>): string =>
  `No live connection. ${message.replace(/\.?$/, '.')} farmgate tries again.`

/** Waits for Ctrl-C. @throws always, the reason of the signal */
export const interruption = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))

/**
 * Waits until the connection is refused, by its key or because the address is not that of a farm.
 * @throws {Failure} always, with the cause
 */
export async function refusal(
  live: Pick<Live, 'on'>,
  problems: { on(name: 'problem', listener: (problem: FarmgateError) => void): void },
): Promise<never> {
  let cause: FarmgateError | undefined
  problems.on('problem', (problem) => {
    cause = problem
  })
  // The cause comes right after this state, so it is known when the promise continues.
  await new Promise<void>((resolve) => live.on('state', (state) => state === 'refused' && resolve()))
  if (cause !== undefined && cause.code !== 'unauthorized') throw failureOf(cause)
  throw new Failure(
    exitCodes.refused,
    'The key is not accepted.',
    'Give the key of this farm: farmgate login <url>, FARMGATE_KEY, or --key-file.',
  )
}
