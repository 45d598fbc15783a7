import type { Connections } from '../cdn/connections.ts'
import type { RetryPolicy } from '../cdn/server-pool.ts'
import type { Platform } from '../platform.ts'
import type { Progress } from '../progress.ts'
import type { Workers } from '../workers/worker-pool.ts'

/** What a download or a check works with, made once and shared by the game and the SDK. */
export interface Context {
  readonly platform: Platform
  readonly workers: Workers
  readonly connections: Connections
  /** Requests under way at once. */
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
  /** Fetch everything, whatever is there (`FORCE_REDOWNLOAD=1`). */
  readonly force: boolean
}
