import { Worker } from 'node:worker_threads'
import { inThread } from '../../../lib/threads.ts'
import { threadLimits } from '../../thread-limits.ts'
import { ticketErrors } from '../../thread-rpc.ts'
import { type DownloadSettings, downloadSettings } from '../download-settings.ts'
import type { Platform } from '../platform.ts'
import type { Progress } from '../progress.ts'
import type { DepotOutcome, DepotThreadCalls, DownloadOwnerCalls, Report } from './calls.ts'

export interface RunParts {
  /** The configuration, or an object with its download settings. */
  readonly settings: DownloadSettings
  readonly platform: Platform
  readonly progress: Progress
  readonly signal: AbortSignal
  /** Receives the plan of an install before the first change. */
  readonly onPlan?: (plan: Report) => void
}

/**
 * Megabytes of the thread's old generation. The entries of 50,000 files need 50. The higher this limit is, the less
 * often V8 collects garbage: by default the thread needs 100 MB more.
 */
const maxOldGenerationSizeMb = 256

/**
 * Downloads, repairs or verifies the SDK and the game in a separate thread.
 * @throws DownloadError; after an abort, the reason of the signal, once the thread has released the directory
 */
export async function runDepot(
  command: 'install' | 'repair' | 'verify',
  parts: RunParts,
): Promise<DepotOutcome> {
  const { settings, platform, progress, signal, onPlan = () => undefined } = parts
  signal.throwIfAborted()
  const thread = new Worker(new URL('./thread.ts', import.meta.url), {
    execArgv: [],
    resourceLimits: { ...threadLimits, maxOldGenerationSizeMb },
  })
  try {
    return await inThread<DepotThreadCalls, DownloadOwnerCalls, DepotOutcome>(
      thread,
      {
        functions: { ...platform, ...progress, plan: onPlan },
        errors: ticketErrors,
        events: ['abort'],
        lost: (cause) => cause ?? new Error("the download's thread ended early"),
      },
      async (calls) => {
        const abort = (): void => void calls.abort()
        signal.addEventListener('abort', abort, { once: true })
        const done = calls[command](downloadSettings(settings))
        return await done.finally(() => signal.removeEventListener('abort', abort))
      },
    )
  } catch (error) {
    signal.throwIfAborted()
    throw error
  }
}
