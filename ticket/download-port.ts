import type { Log } from '../lib/log.ts'
import type { TicketConfig } from './config.ts'
import type { DownloadErrorKind } from './errors.ts'
import type { PlatformClient } from './steam-user.ts'

/** The values of `status` in the existing sidecar's `/game/validate-status`. */
type DownloadPhase = 'disabled' | 'skipped' | 'pending' | 'running' | 'completed' | 'failed'

/** State of the background download of `serve`. Times in milliseconds since 1970. */
export interface DownloadStatus {
  readonly phase: DownloadPhase
  readonly detail: string | undefined
  /** Why the last attempt failed, also while the next one is running. */
  readonly failure?: DownloadErrorKind | undefined
  readonly startedAt: number | undefined
  readonly finishedAt: number | undefined
}

/** Number of files that an install or repair found or wrote. */
export interface FileCounts {
  readonly repaired: number
  readonly downloaded: number
  readonly unchanged: number
}

/** Outcome of a repair of the installed files. Times in milliseconds since 1970. */
export interface RepairOutcome {
  readonly phase: 'completed' | 'failed'
  readonly detail: string
  /** undefined when the repair failed. */
  readonly files: FileCounts | undefined
  readonly startedAt: number
  readonly finishedAt: number
}

/** How much of a download is done. */
export interface DownloadAmount {
  readonly bytes: number
  readonly totalBytes: number
  readonly bytesPerSecond: number
  /** Undefined while the rate is unknown. */
  readonly secondsLeft: number | undefined
}

/** The background download of `serve`; depot/thread/background-download.ts makes it. */
export interface BackgroundDownload {
  /** Whether the completion marker exists. If so, the game files are not changed. */
  isComplete(): Promise<boolean>
  /** Downloads the SDK and the game. @throws Error when that fails; the caller tries again later */
  download(client: PlatformClient, signal: AbortSignal): Promise<void>
  /** Undefined while nothing is downloaded. */
  amount(): DownloadAmount | undefined
  /** Whether `serve` repairs the installed files at its start (`VALIDATE_ON_BOOT`). */
  readonly repairsAtStart: boolean
  /** Repairs the installed files to the installed version. @throws Error when that fails */
  repair(client: PlatformClient, signal: AbortSignal): Promise<FileCounts>
}

export type MakeBackgroundDownload = (config: TicketConfig, log: Log) => BackgroundDownload

/** The status when no download is configured. */
export const downloadDisabled: DownloadStatus = {
  phase: 'disabled',
  detail: undefined,
  startedAt: undefined,
  finishedAt: undefined,
}

/** The status before the game directory has been read. */
export const downloadPending: DownloadStatus = { ...downloadDisabled, phase: 'pending' }
