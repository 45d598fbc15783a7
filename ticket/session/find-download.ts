import type { BackgroundDownload } from '../background-download.ts'
import type { TicketConfig } from '../config.ts'
import type { Log } from '../log.ts'

/** @returns the background download; what it needs is loaded only now. */
export async function backgroundDownload(config: TicketConfig, log: Log): Promise<BackgroundDownload | null> {
  const { makeBackgroundDownload } = await import('../depot/background-download.ts')
  return makeBackgroundDownload(config, log)
}
