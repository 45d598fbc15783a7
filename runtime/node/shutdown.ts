/** Ends a process in order, whoever asks and however often: exit 0 within 5 s, sockets get 1001. */

import { exitCodes } from '../../process/exit-codes.ts'

/** A terminal and npm both deliver the same Ctrl-C; only one that comes later than this means "now". */
const sameSignal = 1000

export interface ShutdownOptions {
  /** Does the work; must end by itself within the limit that it is given. */
  readonly stop: (within: number) => Promise<void>
  readonly exit: (code: number) => void
  readonly monotonic: () => number
  readonly on: (signal: 'SIGTERM' | 'SIGINT', listener: () => void) => void
  /** Milliseconds that requests in flight have to finish. */
  readonly within?: number
  /** Milliseconds after which the process ends, whatever is left to do. */
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
  let askedAt: number | undefined
  const asked = () => {
    if (askedAt !== undefined) {
      if (monotonic() - askedAt >= sameSignal) exit(exitCodes.interrupted)
      return
    }
    askedAt = monotonic()
    setTimeout(() => exit(exitCodes.failed), endsWithin).unref()
    stop(within).then(
      () => exit(exitCodes.done),
      () => exit(exitCodes.failed),
    )
  }
  on('SIGTERM', asked)
  on('SIGINT', asked)
}
