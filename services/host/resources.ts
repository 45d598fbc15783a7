/** Measures what the machine and the game use: for `GET /host`, the metrics, and a sample a minute. */
import type { StatsFs } from 'node:fs'
import { readFile, statfs as statfsOfSystem } from 'node:fs/promises'
import { cpus, freemem, totalmem } from 'node:os'
import type { GameHost, GameUsage } from '../../handlers/game-host.ts'
import type { Resources } from '../../handlers/resources.ts'
import type { Clock } from '../../lib/clock.ts'
import { keptAnswer } from '../../lib/kept-answer.ts'
import { Gauge, type Registry } from '../../lib/prom-client.ts'
import { gauge } from '../../lib/series.ts'
import { withTimeLimit } from '../../lib/time-limit.ts'
import { inspectLimit } from './facts.ts'
import { late } from './host-unavailable.ts'

export interface ResourcesParts extends Pick<Clock, 'monotonic'> {
  readonly driver: Pick<GameHost, 'usage'> | undefined
  /** That farmgate or the game writes. */
  readonly folders: readonly string[]
  readonly statfs?: (folder: string) => Promise<Size>
}

type Size = Pick<StatsFs, 'blocks' | 'bfree' | 'bsize'>

/** Milliseconds for which a measurement is the current one. */
const freshFor = 1000

interface Measured {
  /** By `monotonic`. */
  readonly at: number
  /** Of all processors together since the machine started, in milliseconds. */
  readonly processors: { readonly idle: number; readonly all: number }
  readonly game: GameUsage | undefined
}

export type WatchedResources = ReturnType<typeof watchResources>

export function watchResources({ driver, folders, monotonic, statfs = statfsOfSystem }: ResourcesParts) {
  // A look that hangs keeps a thread of the process, so each path has at most one.
  const disks = [...new Set(folders)].map((path) => ({
    path,
    look: keptAnswer(() => statfs(path), 0, monotonic),
  }))
  let last: Measured = { at: Number.NEGATIVE_INFINITY, processors: processorTimes(), game: undefined }

  async function measure(): Promise<Resources> {
    const [game, memory, sizes] = await Promise.all([
      gameUsage(driver),
      machineMemory(),
      Promise.all(disks.map(({ path, look }) => diskOf(path, look.get()))),
    ])
    const now: Measured = { at: monotonic(), processors: processorTimes(), game }
    const before = last
    last = now
    const all = now.processors.all - before.processors.all
    const idle = now.processors.idle - before.processors.idle
    const gameCpu = gameShare(before, now)
    return {
      machine: {
        ...(all > 0 && { cpuPercent: percent(1 - idle / all) }),
        memory,
        disks: sizes.filter((disk) => disk !== undefined),
      },
      ...(game !== undefined && {
        game: { ...(gameCpu !== undefined && { cpuPercent: percent(gameCpu) }), memory: game.memory },
      }),
    }
  }
  return {
    /** At most a second old. Never rejects. */
    read: keptAnswer(measure, freshFor, monotonic).get,
  }
}

const percent = (share: number): number => Math.round(1000 * Math.min(1, Math.max(0, share))) / 10

function processorTimes(): Measured['processors'] {
  let [idle, all] = [0, 0]
  for (const { times } of cpus()) {
    idle += times.idle
    all += Object.values(times).reduce((sum, time) => sum + time, 0)
  }
  return { idle, all }
}

/** @returns the game's share of all processors; undefined until it was measured twice in one run */
function gameShare(before: Measured, { at, game }: Measured): number | undefined {
  const processors = game?.processors ?? cpus().length
  if (game?.coresNow !== undefined) return game.coresNow / processors
  if (game?.cpuSeconds === undefined || before.game?.cpuSeconds === undefined) return undefined
  const used = game.cpuSeconds - before.game.cpuSeconds
  return used < 0 ? undefined : used / (((at - before.at) / 1000) * processors)
}

const gameUsage = (driver: ResourcesParts['driver']): Promise<GameUsage | undefined> =>
  driver === undefined
    ? Promise.resolve(undefined)
    : withTimeLimit(inspectLimit, driver.usage(), () => late()).catch(() => undefined)

/** Without what the system would give back at once. On other systems than Linux only the free memory is known. */
async function machineMemory(): Promise<Resources['machine']['memory']> {
  const total = totalmem()
  const info = await readFile('/proc/meminfo', 'utf8').catch(() => '')
  const [, available] = /^MemAvailable:\s+(\d+) kB$/m.exec(info) ?? []
  return { used: total - (available === undefined ? freemem() : Number(available) * 1024), total }
}

/** @returns undefined for a folder that does not exist, and for a file system that does not report its size */
async function diskOf(path: string, size: Promise<Size>) {
  // A file system of the network that is offline would never answer.
  const found = await withTimeLimit(inspectLimit, size, () => late()).catch(() => undefined)
  if (found === undefined || found.blocks === 0) return undefined
  const { blocks, bfree, bsize } = found
  return { path, used: (blocks - bfree) * bsize, total: blocks * bsize }
}

/** The series of the resources; those that are not known are NaN. */
export function measureResources(registry: Registry, { read }: Pick<WatchedResources, 'read'>): void {
  const series = (name: string, help: string, of: (resources: Resources) => number | undefined) =>
    gauge(registry, name, help, async () => of(await read()) ?? Number.NaN)
  const ratio = (cpuPercent: number | undefined) => cpuPercent && cpuPercent / 100
  const disk = (name: string, help: string, member: 'used' | 'total') =>
    new Gauge({
      name,
      help,
      labelNames: ['path'],
      registers: [registry],
      async collect() {
        this.reset()
        for (const one of (await read()).machine.disks) this.set({ path: one.path }, one[member])
      },
    })
  disk(
    'farmgate_disk_used_bytes',
    'Used bytes of the disk of a folder that farmgate or the game writes',
    'used',
  )
  disk('farmgate_disk_size_bytes', 'Size of that disk', 'total')
  series('farmgate_machine_cpu_ratio', 'Use of all processors since the last look, 0 to 1', ({ machine }) =>
    ratio(machine.cpuPercent),
  )
  series(
    'farmgate_machine_memory_used_bytes',
    'Used memory of the machine without the page cache',
    ({ machine }) => machine.memory.used,
  )
  series('farmgate_machine_memory_size_bytes', 'Memory of the machine', ({ machine }) => machine.memory.total)
  series(
    'farmgate_game_cpu_ratio',
    "The game's use of all processors since the last look, 0 to 1",
    ({ game }) => ratio(game?.cpuPercent),
  )
  series(
    'farmgate_game_memory_used_bytes',
    'Used memory of the game without the page cache',
    ({ game }) => game?.memory.used,
  )
  series(
    'farmgate_game_memory_limit_bytes',
    'Limit of the memory of the game; NaN without one',
    ({ game }) => game?.memory.limit,
  )
}
