import type { Connections } from '../cdn/connections.ts'
import type { RetryPolicy } from '../cdn/server-pool.ts'
import type { Platform } from '../platform.ts'
import type { Progress } from '../progress.ts'
import type { Workers } from '../workers/worker-pool.ts'

/** Shared parts of a download, a repair or a verification; the game and the SDK use the same ones. */
export interface Context {
  readonly platform: Platform
  readonly workers: Workers
  readonly connections: Connections
  /** Maximum number of concurrent requests. */
  readonly connectionCount: number
  readonly workerCount: number
  readonly progress: Progress
  readonly retries: RetryPolicy
  readonly signal: AbortSignal
  /** Monotonic milliseconds. */
  readonly now: () => number
  /** 0 ≤ x < 1. */
  readonly random: () => number
  /** Wall-clock time, for the marker only. */
  readonly date: () => Date
  /** Fetch all files, also good ones (`FORCE_REDOWNLOAD=1`). */
  readonly force: boolean
}
