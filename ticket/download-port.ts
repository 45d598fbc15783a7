import type { TicketConfig } from './config.ts'
import type { Log } from './log.ts'
import type { PlatformClient } from './steam-user.ts'

/** Words of the existing sidecar's `/game/validate-status`. */
type DownloadPhase = 'disabled' | 'skipped' | 'pending' | 'running' | 'completed' | 'failed'

/** State of the download that `serve` runs by itself. Times in milliseconds since 1970. */
export interface DownloadStatus {
  readonly phase: DownloadPhase
  readonly detail: string | undefined
  readonly startedAt: number | undefined
  readonly finishedAt: number | undefined
}

/** What `serve` needs of the download; `depot/background-download.ts` exports `makeBackgroundDownload`. */
export interface BackgroundDownload {
  /** Is the completion marker there? Then the game files are not touched. */
  isComplete(): Promise<boolean>
  /** Downloads until the installation is whole. Throws when it is not; the caller tries again later. */
  download(client: PlatformClient, signal: AbortSignal): Promise<void>
}

export type MakeBackgroundDownload = (config: TicketConfig, log: Log) => BackgroundDownload

/** No download is run. */
export const downloadDisabled: DownloadStatus = {
  phase: 'disabled',
  detail: undefined,
  startedAt: undefined,
  finishedAt: undefined,
}

/** A download that has not begun: what is on the disk is not known yet. */
export const downloadPending: DownloadStatus = { ...downloadDisabled, phase: 'pending' }
