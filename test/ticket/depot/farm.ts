import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join, relative } from 'node:path'
import { onTestFinished } from 'vitest'
import { openConnections } from '../../../ticket/depot/cdn/connections.ts'
import type { Context } from '../../../ticket/depot/install/context.ts'
import { type Installed, install } from '../../../ticket/depot/install/install.ts'
import { type Verified, verify } from '../../../ticket/depot/install/verify.ts'
import { type Filter, keepAll } from '../../../ticket/depot/plan/filter.ts'
import type { Plan } from '../../../ticket/depot/plan/plan.ts'
import type { Platform } from '../../../ticket/depot/platform.ts'
import { type Progress, silent } from '../../../ticket/depot/progress.ts'
import { startWorkers, type Workers } from '../../../ticket/depot/workers/worker-pool.ts'
import { newFolder } from '../../new-folder.ts'
import { type Cdn, startCdn } from '../../platform/cdn.ts'
import { type DepotPlatform, depotPlatform } from '../../platform/depot-platform.ts'
import type { StandInDepot } from '../../platform/depots.ts'

export const GAME = 413150

export { newFolder }

/** A content server that ends with the test. */
export async function contentServer(...depots: StandInDepot[]): Promise<Cdn> {
  const cdn = await startCdn(depots)
  onTestFinished(() => cdn.close())
  return cdn
}

/** A game directory, a platform, one content server, and a way to download. */
export interface Farm {
  readonly directory: string
  readonly cdn: Cdn
  readonly platform: DepotPlatform
  /** Runs one download with changes to its context. */
  download(
    changes?: Partial<Context> & { filter?: Filter; proxy?: string; isPinned?: boolean },
  ): Promise<Installed>
  /** Compares the directory with the installed version. */
  verify(filter?: Filter): Promise<Verified>
  /** The plan of the last download. */
  plan(): Plan
  /** Publishes another version. */
  publish(depot: StandInDepot): void
}

export async function farm(depot: StandInDepot, directory = newFolder()): Promise<Farm> {
  const cdn = await contentServer(depot)
  const platform = depotPlatform({ [GAME]: depot }, [cdn.host])
  let last: Plan | undefined
  const root = { directory, folder: '' }
  return {
    directory,
    cdn,
    platform,
    async download({ filter = keepAll, proxy, isPinned = false, ...changes } = {}) {
      const { context, close } = contextOf(platform, changes, proxy)
      const onPlan = (_version: unknown, plan: Plan) => {
        last = plan
      }
      return await install({ appId: GAME, root, filter, onPlan, isPinned }, context).finally(close)
    },
    async verify(filter = keepAll) {
      const { context, close } = contextOf(platform)
      return await verify({ appId: GAME, root, filter }, context).finally(close)
    },
    plan() {
      if (last === undefined) throw new Error('nothing was planned')
      return last
    },
    publish(next) {
      platform.apps.set(GAME, next)
      cdn.serve(next)
    },
  }
}

/** Short time limits, so that tests do not wait as long as a real download. */
export const quickRetries = {
  firstDelay: 5,
  maxDelay: 50,
  idleTimeout: 10_000,
  maxRequestTime: 60_000,
  reportAfter: 100,
  giveUpAfter: 1500,
}

/** Threads without a task, for the next download: their start costs more than most downloads of the tests. */
const idle: Workers[] = []

/** Threads that end only with a task in progress. */
function takeWorkers(): Workers {
  const workers = idle.pop() ?? startWorkers(2)
  const tasks = new Set<Promise<unknown>>()
  return {
    run(task) {
      const done = workers.run(task)
      tasks.add(done)
      done.finally(() => tasks.delete(done)).catch(() => undefined)
      return done
    },
    close: async () => (tasks.size === 0 ? void idle.push(workers) : workers.close()),
  }
}

/** A context as the commands make it, and the function that ends it. */
export function contextOf(
  platform: Platform,
  changes: Partial<Context> = {},
  proxy?: string,
): { context: Context; close: () => Promise<void> } {
  const workers = changes.workers ?? takeWorkers()
  const now = (): number => performance.now()
  const connections = openConnections({
    count: changes.connectionCount ?? 8,
    proxy,
    idle: (changes.retries ?? quickRetries).idleTimeout,
    now,
  })
  const progress: Progress = silent
  return {
    context: {
      platform,
      workers,
      connections,
      connectionCount: 8,
      workerCount: 2,
      progress,
      retries: quickRetries,
      signal: new AbortController().signal,
      now,
      random: Math.random,
      date: () => new Date(),
      force: false,
      ...changes,
    },
    async close() {
      connections.close()
      await workers.close()
    },
  }
}

/** The paths of all regular files below a folder. */
export const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => lstatSync(path).isFile())

/**
 * Every file and link of a tree: path to content hash, relevant mode bits, or link target. Our own files are left out.
 */
export function tree(directory: string, own = false): Record<string, string> {
  const found: Record<string, string> = {}
  const walk = (folder: string): void => {
    for (const name of readdirSync(folder).sort()) {
      if (!own && name.startsWith('.download-')) continue
      const at = join(folder, name)
      const stat = lstatSync(at)
      const path = relative(directory, at)
      if (stat.isDirectory()) walk(at)
      else if (stat.isSymbolicLink()) found[path] = `-> ${readlinkSync(at)}`
      else found[path] = digest(readFileSync(at)) + (stat.mode & 0o111 ? ' x' : '')
    }
  }
  walk(directory)
  return found
}

/** The `tree` of a depot that is kept whole. */
export function treeOf(depot: StandInDepot): Record<string, string> {
  const found: Record<string, string> = {}
  for (const { path, content, flags = 0, target } of depot.files) {
    if (flags & 64) continue
    found[path] =
      target === undefined ? digest(content ?? Buffer.alloc(0)) + (flags & 160 ? ' x' : '') : `-> ${target}`
  }
  return Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1)))
}

export function digest(bytes: Buffer): string {
  return createHash('sha1').update(bytes).digest('hex')
}
