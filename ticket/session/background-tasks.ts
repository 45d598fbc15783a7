import { type Clock, sleep } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'

/** Work that runs while there is a session. */
export interface BackgroundTask {
  /** What failed, for the log: `The … failed`. */
  readonly name: string
  /** Runs until it is done or the session ends. */
  run(): Promise<void>
}

/** Milliseconds before a task that failed unexpectedly runs again. */
const restartDelay = 300_000

/** Runs tasks until all are done or the signal aborts. A task that fails is logged and runs again after five minutes. */
export async function runTasks(
  tasks: readonly BackgroundTask[],
  { log, clock, signal }: { readonly log: Log; readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  await Promise.all(tasks.map((task) => untilDone(task)))

  async function untilDone({ name, run }: BackgroundTask): Promise<void> {
    while (!signal.aborted) {
      try {
        return await run()
      } catch (error) {
        if (signal.aborted) return
        const sentence = error instanceof Error ? error.message : String(error)
        log.error({ error: sentence }, `The ${name} failed and is tried again in 5 min`)
        await sleep(clock, restartDelay, signal).catch(() => undefined)
      }
    }
  }
}
