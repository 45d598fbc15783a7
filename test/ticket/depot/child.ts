import { openConnections } from '../../../ticket/depot/cdn/connections.ts'
import { install } from '../../../ticket/depot/install/install.ts'
import { gameFilter, keepAll } from '../../../ticket/depot/plan/filter.ts'
import { silent } from '../../../ticket/depot/progress.ts'
import { openGameDirectory } from '../../../ticket/depot/tree/game-directory.ts'
import { lockDirectory } from '../../../ticket/depot/tree/lock-directory.ts'
import { startWorkers } from '../../../ticket/depot/workers/worker-pool.ts'

/** A download in a separate process, without a session: tests kill it, or let it run out of disk space. */
export interface ChildOrder {
  readonly host: string
  readonly directory: string
  readonly depotId: number
  readonly manifestId: string
  /** Hex. */
  readonly key: string
  readonly filtered: boolean
  /** Drops root's rights first: root can write everywhere. */
  readonly dropsRights?: boolean
}

const order: ChildOrder = JSON.parse(process.argv[2] ?? '')
const { host, directory, depotId, manifestId } = order
const root = { directory, folder: '' }
const workers = startWorkers(2)
// The threads have loaded their modules, which the other user might not be allowed to read.
await workers.run<'check'>({ do: 'check', root, files: [] })
if (order.dropsRights === true && process.getuid?.() === 0) {
  process.setgid?.(65534)
  process.setuid?.(65534)
}
let release = (): void => undefined
try {
  release = lockDirectory(openGameDirectory(root))
  await install(
    {
      appId: 413150,
      root,
      filter: order.filtered ? gameFilter(new Set(), []) : keepAll,
      onPlan: () => process.stdout.write('planned\n'),
    },
    {
      platform: {
        depotVersion: async (appId) => ({ appId, name: 'game', depotId, manifestId }),
        rejectIfNotOwned: async () => undefined,
        depotKey: async () => Buffer.from(order.key, 'hex'),
        manifestRequestCode: async () => '1234567890123456789',
        contentServers: async () => [{ host, vhost: host, https: 'none', load: 1 }],
        cdnToken: async () => '',
      },
      workers,
      connections: openConnections({ count: 8, proxy: undefined, idle: 2000, now: () => performance.now() }),
      connectionCount: 8,
      workerCount: 2,
      progress: silent,
      retries: {
        firstDelay: 5,
        maxDelay: 50,
        idleTimeout: 2000,
        maxRequestTime: 60_000,
        reportAfter: 100,
        giveUpAfter: 10_000,
      },
      signal: new AbortController().signal,
      now: () => performance.now(),
      random: Math.random,
      date: () => new Date(),
      force: false,
    },
  )
  process.exitCode = 0
} catch (error) {
  const problem = error instanceof Error && 'kind' in error ? String(error.kind) : 'none'
  process.stdout.write(`${problem}: ${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
} finally {
  release()
  process.exit()
}
