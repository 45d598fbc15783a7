import { type BackOff, backOff } from '../../lib/back-off.ts'
import { type Clock, sleep } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { BackgroundDownload, DownloadStatus, RepairOutcome } from '../download-port.ts'
import { DownloadError, type DownloadErrorKind } from '../errors.ts'
import type { PlatformClient } from '../steam-user.ts'

export interface RunnerOptions {
  readonly clock: Clock
  readonly log: Log
  /** Aborts when the session ends. */
  readonly signal: AbortSignal
  readonly delays: BackOff
  /** Settles when someone asks for the next attempt now. */
  readonly nextTry?: () => Promise<void>
  report(status: DownloadStatus): void
}

/** The status when the completion marker exists. */
export const installed: DownloadStatus = {
  phase: 'skipped',
  detail: 'the game is installed',
  startedAt: undefined,
  finishedAt: undefined,
}

/**
 * Repairs the installed files. It never throws: the game waits for the outcome and then starts in any case.
 */
export async function repair(
  download: BackgroundDownload,
  client: PlatformClient,
  { clock, log, signal }: Pick<RunnerOptions, 'clock' | 'log' | 'signal'>,
): Promise<RepairOutcome> {
  const startedAt = clock.now()
  const ended = (outcome: Pick<RepairOutcome, 'phase' | 'detail' | 'files'>): RepairOutcome => ({
    ...outcome,
    startedAt,
    finishedAt: clock.now(),
  })
  try {
    const files = await download.repair(client, signal)
    const detail = `${files.repaired} repaired, ${files.downloaded} downloaded, ${files.unchanged} unchanged`
    log.info({}, `The game files were checked: ${detail}`)
    return ended({ phase: 'completed', detail, files })
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error)
    log.warn({}, `The game files could not be checked: ${detail}`)
    return ended({ phase: 'failed', detail, files: undefined })
  }
}

/** Downloads in the background and tries again until it succeeds. Does nothing when the completion marker exists. */
export async function runDownload(
  download: Pick<BackgroundDownload, 'isComplete' | 'download'>,
  client: PlatformClient,
  options: RunnerOptions,
): Promise<void> {
  const { clock, log, signal, delays, report, nextTry } = options
  let failure: DownloadErrorKind | undefined
  for (let failures = 0; ; ) {
    if (await download.isComplete()) {
      if (failures === 0) report(installed)
      return
    }
    const startedAt = clock.now()
    report({ phase: 'running', detail: undefined, failure, startedAt, finishedAt: undefined })
    try {
      await download.download(client, signal)
      report({ phase: 'completed', detail: undefined, startedAt, finishedAt: clock.now() })
      return
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error)
      // A lost session stops the download. The next session continues it.
      failure = error instanceof DownloadError ? error.kind : 'storage'
      const phase = signal.aborted ? 'pending' : 'failed'
      report({ phase, detail, failure, startedAt, finishedAt: clock.now() })
      signal.throwIfAborted()
      failures += 1
      const delay = backOff({ first: delays.first * 30, max: delays.max }, failures, clock.random())
      log.warn({}, `The download failed: ${detail}. Next try in ${Math.ceil(delay / 1000)} s`)
      const waited = new AbortController()
      const wait = sleep(clock, delay, AbortSignal.any([signal, waited.signal]))
      await Promise.race([wait, ...(nextTry === undefined ? [] : [nextTry()])])
      wait.catch(() => undefined)
      waited.abort()
      signal.throwIfAborted()
    }
  }
}
