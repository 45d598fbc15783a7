import type { FileCounts } from '../../download-port.ts'
import type { DownloadSettings } from '../download-settings.ts'
import type { Platform } from '../platform.ts'
import type { Progress } from '../progress.ts'

/** A report for the operator, as text and as JSON. */
export interface Report {
  readonly text: string
  readonly json: object
}

/** Result of `install`, `repair` or `verify`. */
export interface DepotOutcome {
  /** One for the SDK, one for the game. */
  readonly reports: readonly Report[]
  /** Number of differences that `verify` found; 0 after the others. */
  readonly wrong: number
  /** Files of both; `verify` repairs and downloads none. */
  readonly files: FileCounts
}

/** Functions that other threads call in the download thread. */
export interface DepotThreadCalls {
  install(settings: DownloadSettings): Promise<DepotOutcome>
  /** Like `install`, with the installed versions in place of the public ones. */
  repair(settings: DownloadSettings): Promise<DepotOutcome>
  verify(settings: DownloadSettings): Promise<DepotOutcome>
  /** Stops the command in progress; its call rejects with `aborted`. */
  abort(): void
}

/** Functions that the download thread calls in the thread that has the session. */
export interface DownloadOwnerCalls extends Platform, Progress {
  /** Receives the plan of an install before the first change. */
  plan(plan: Report): void
}
