/** Ends the process in order on SIGTERM or SIGINT, with exit code 0 within 5 s. */
import type { Clock } from '../../lib/clock.ts'
import { exitCodes } from '../../lib/exit-codes.ts'
import { withTimeLimit } from '../../lib/time-limit.ts'

/**
 * Milliseconds in which a second signal is ignored, because a terminal and npm both deliver the same Ctrl-C. A later
 * one ends the process at once.
 */
const repeatWindow = 1000

export interface ShutdownOptions extends Pick<Clock, 'monotonic'> {
  /** Stops the server. @param within milliseconds for doing so */
  readonly stop: (within: number) => Promise<void>
  readonly exit: (code: number) => void
  readonly on: (signal: 'SIGTERM' | 'SIGINT', listener: () => void) => void
  /** Milliseconds in which pending requests can finish. */
  readonly within?: number
  /** Milliseconds after which the process ends even if `stop` is not done. */
  readonly endsWithin?: number
}

export function stopOnSignals({
  stop,
  exit,
  monotonic,
  on,
  within = 4000,
  endsWithin = 4800,
}: ShutdownOptions): void {
  let signalledAt: number | undefined
  const onSignal = () => {
    if (signalledAt !== undefined) {
      if (monotonic() - signalledAt >= repeatWindow) exit(exitCodes.interrupted)
      return
    }
    signalledAt = monotonic()
    setTimeout(() => exit(exitCodes.failed), endsWithin).unref()
    stop(within).then(
      () => exit(exitCodes.done),
      () => exit(exitCodes.failed),
    )
  }
  on('SIGTERM', onSignal)
  on('SIGINT', onSignal)
}

/**
 * Closes parts of the process at the same time. It never throws and never takes longer than the time, so that the
 * parts closed after them are always closed.
 * @param parts by their name in the log
 * @param within milliseconds
 * @param failed called for each part that threw or was not closed in time
 */
export async function closeTogether(
  parts: Readonly<Record<string, () => unknown>>,
  within: number,
  failed: (part: string, cause: string) => void,
): Promise<void> {
  const late = () => new Error(`it was not closed within ${Math.ceil(within)} ms`)
  await Promise.all(
    Object.entries(parts).map(([part, close]) =>
      withTimeLimit(within, Promise.resolve().then(close), late).catch((error: unknown) =>
        failed(part, error instanceof Error ? error.message : String(error)),
      ),
    ),
  )
}
