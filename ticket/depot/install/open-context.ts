import { openConnections } from '../cdn/connections.ts'
import { downloadRetries } from '../cdn/server-pool.ts'
import type { DownloadSettings } from '../download-settings.ts'
import { type Filter, gameFilter, languageCodes, readLanguages } from '../plan/filter.ts'
import type { Platform } from '../platform.ts'
import type { Progress } from '../progress.ts'
import { startWorkers } from '../workers/worker-pool.ts'
import type { Context } from './context.ts'

/** Starts the worker threads of a download and opens its connections. `close` ends both. */
export function openContext(
  settings: DownloadSettings,
  platform: Platform,
  progress: Progress,
  signal: AbortSignal,
): { readonly context: Context; close(): Promise<void> } {
  const workers = startWorkers(settings.downloadWorkers)
  const now = (): number => performance.now()
  const connections = openConnections({
    count: settings.downloadConnections,
    proxy: settings.proxy,
    idle: downloadRetries.idleTimeout,
    now,
  })
  return {
    context: {
      platform,
      workers,
      connections,
      connectionCount: settings.downloadConnections,
      workerCount: settings.downloadWorkers,
      progress,
      retries: downloadRetries,
      signal,
      now,
      random: Math.random,
      date: () => new Date(),
      force: settings.forceRedownload,
    },
    async close() {
      connections.close()
      await workers.close()
    },
  }
}

/** @returns the filter of the game. Unknown language codes are ignored with one warning. */
export function configuredFilter(
  settings: Pick<DownloadSettings, 'keepLanguages' | 'downloadExclude'>,
  warn: (text: string) => void,
): Filter {
  const { kept, unknown } = readLanguages(settings.keepLanguages)
  if (unknown.length > 0) {
    const words = unknown.map((word) => JSON.stringify(word)).join(', ')
    warn(`PLATFORM_KEEP_LANGUAGES: ${words} ignored; known are ${languageCodes.join(', ')}`)
  }
  return gameFilter(kept, settings.downloadExclude)
}
