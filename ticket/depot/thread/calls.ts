import type { Platform } from '../platform.ts'
import type { Progress } from '../progress.ts'
import type { DownloadSettings } from '../settings.ts'

/** Something to tell the operator, in words and for programs. */
export interface Report {
  readonly text: string
  readonly json: object
}

/** How a download or a check ended. */
export interface DepotOutcome {
  /** One for the SDK, one for the game. */
  readonly reports: readonly Report[]
  /** What a check found wrong; 0 after an install. */
  readonly wrong: number
}

/** What the download's thread can be asked. */
export interface DepotThreadCalls {
  install(settings: DownloadSettings): Promise<DepotOutcome>
  verify(settings: DownloadSettings): Promise<DepotOutcome>
  /** Stops what is under way; its call then rejects. */
  abort(): void
}

/** What the download's thread asks of the thread that has the session, and tells it. */
export interface SessionThreadCalls extends Platform, Progress {
  /** The plan of an install, before anything is done. */
  plan(plan: Report): void
}
