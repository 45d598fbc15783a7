/** Keeps a child process running: starts it again whenever it ends, until it is stopped. */
import type { ChildProcess } from 'node:child_process'
import { restartDelays } from '../lib/back-off.ts'
import type { Clock } from '../lib/clock.ts'

/** Milliseconds. While the bucket is unreachable every start fails. */
const waits = { first: 500, max: 5000, stableAfter: 30_000 }

/** @param ended called before the wait for a restart, in milliseconds */
export function keepProcess(
  clock: Clock,
  start: () => ChildProcess,
  ended: (how: { readonly code: number | null; readonly signal: string | null }, wait: number) => void,
) {
  const nextDelay = restartDelays(waits)
  let isStopping = false
  let cancelRestart = () => {}
  const stopped = Promise.withResolvers<void>()
  const launch = (): ChildProcess => {
    const startedAt = clock.monotonic()
    const child = start()
    child.once('close', (code, signal) => {
      if (isStopping) return stopped.resolve()
      const wait = nextDelay(clock.monotonic() - startedAt, clock.random())
      ended({ code, signal }, wait)
      cancelRestart = clock.after(wait, () => {
        running = launch()
      })
    })
    return child
  }
  let running = launch()
  return {
    /** Ends it with SIGTERM, and with SIGKILL when it still runs after a time. @param within milliseconds */
    async stop(within: number) {
      isStopping = true
      cancelRestart()
      if (running.exitCode !== null || running.signalCode !== null) return
      running.kill('SIGTERM')
      const cancelKill = clock.after(within, () => running.kill('SIGKILL'))
      await stopped.promise
      cancelKill()
    },
  }
}
