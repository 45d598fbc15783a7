import { existsSync } from 'node:fs'
import type { BackgroundDownload, MakeBackgroundDownload } from '../background-download.ts'
import type { TicketConfig } from '../config.ts'
import type { Log } from '../log.ts'

/** @returns the background download, or null in an installation that has none. */
export async function backgroundDownload(config: TicketConfig, log: Log): Promise<BackgroundDownload | null> {
  const file = new URL('../depot/background-download.ts', import.meta.url)
  if (!existsSync(file)) return null
  const { makeBackgroundDownload }: { makeBackgroundDownload: MakeBackgroundDownload } = await import(
    file.href
  )
  return makeBackgroundDownload(config, log)
}
