import { openConnections } from '../../ticket/depot/cdn/fetch.ts'
import { PATIENCE } from '../../ticket/depot/cdn/servers.ts'
import type { Context } from '../../ticket/depot/context.ts'
import type { Platform } from '../../ticket/depot/platform.ts'
import { silent } from '../../ticket/depot/report/progress.ts'
import { startWorkers } from '../../ticket/depot/workers/workers.ts'

/** Where a depot of the bench lies; a plain value that goes to other processes as text. */
export interface Place {
  readonly host: string
  readonly depotId: number
  readonly key: string
  readonly workers: number
  readonly directory: string
}

/** The port of the platform for one depot: its answers are known beforehand. */
export function placePlatform({ host, depotId, key }: Place): Platform {
  return {
    depotVersion: async (appId) => ({ appId, name: 'bench', depotId, manifestId: String(depotId) }),
    checkOwned: async () => undefined,
    depotKey: async () => Buffer.from(key, 'hex'),
    manifestRequestCode: async () => '1234567890123456789',
    contentServers: async () => [{ host, vhost: host, https: false, load: 10 }],
    cdnToken: async () => '',
  }
}

/** The context that the commands use, with their defaults. */
export function placeContext(place: Place): Context & { close(): Promise<void> } {
  const workers = startWorkers(place.workers)
  const now = (): number => performance.now()
  const connections = openConnections({ count: 16, proxy: undefined, idle: PATIENCE.idle, now })
  return {
    platform: placePlatform(place),
    workers,
    connections,
    connectionCount: 16,
    workerCount: place.workers,
    progress: silent,
    patience: PATIENCE,
    signal: new AbortController().signal,
    now,
    random: Math.random,
    date: () => new Date(),
    force: false,
    async close() {
      connections.close()
      await workers.close()
    },
  }
}
