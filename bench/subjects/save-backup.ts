/** Backs up the save in a folder, with farmgate or as a bare zip of the same files, and measures itself. */
import {
  closeSync,
  createReadStream,
  createWriteStream,
  fsyncSync,
  openSync,
  readdirSync,
  rmSync,
} from 'node:fs'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { pipeline } from 'node:stream/promises'
import { ZipFile } from 'yazl'
import { loadSave } from '../../bridges/simulated/save-files.ts'
import { neverSeen } from '../../handlers/game-records.ts'
import { systemClock } from '../../lib/clock.ts'
import { openBackups } from '../../services/backups/open-backups.ts'
import { cpuMilliseconds, serveSubject } from '../measure.ts'
import { quietLog } from '../measured-server.ts'

const [savesDir = '', folder = '', farmName = ''] = process.argv.slice(2)

const saves = join(savesDir, 'Saves')
const played = loadSave(saves, readdirSync(saves)[0] ?? '')

/** No day runs at the start, so no backup is made after one. */
let isLoaded = false

/** A game without events, of one day: a backup is made only on request. */
const { port } = openBackups({
  savesDir,
  folder,
  keep: { days: 14, weeks: 8, months: 12 },
  game: {
    health: () => ({ gameAvailable: true, isFrozen: false, tickCount: 0, pendingActions: 0 }),
    subscribe: () => () => undefined,
    status: async () => ({
      ...neverSeen,
      ...played?.date,
      farmName,
      isOnline: isLoaded,
      dayTransitionComplete: true,
      lastUpdated: new Date().toISOString(),
    }),
    players: async () => ({ players: [], version: 1 }),
    reload: async () => {
      isLoaded = true
      return 'World reloaded'
    },
  },
  rightFarm: {
    held: async () => () => false,
    mayRemove: () => true,
    checkReload: () => undefined,
    onDecided: () => undefined,
    expect: async () => undefined,
    allow: async () => undefined,
    disallow: async () => undefined,
  },
  clock: systemClock,
  random: Math.random,
  log: quietLog,
})

async function bareZip(): Promise<void> {
  const zip = new ZipFile()
  for (const save of readdirSync(saves))
    for (const name of readdirSync(join(saves, save)))
      zip.addReadStreamLazy(`${save}/${name}`, (cb) =>
        cb(null, createReadStream(join(saves, save, name), { highWaterMark: 65_536 })),
      )
  zip.end()
  const path = join(folder, 'bare')
  await pipeline(zip.outputStream, createWriteStream(path))
  const file = openSync(path, 'r')
  fsyncSync(file)
  closeSync(file)
  rmSync(path)
}

/** @returns processor time and longest block in milliseconds, and the peak growth of memory, in bytes */
async function measured(run: () => Promise<unknown>) {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  const memory = process.memoryUsage.rss()
  const before = cpuMilliseconds()
  delay.enable()
  await run()
  delay.disable()
  return {
    cpu: cpuMilliseconds() - before,
    block: delay.max / 1e6,
    memory: process.resourceUsage().maxRSS * 1024 - memory,
  }
}

let heap: readonly object[] = []

serveSubject({
  /** Fills the heap as records and clients do, so that the garbage collector has work. */
  fill() {
    heap = Array.from({ length: 300_000 }, (_object, id) => ({ id, name: `object ${id}`, of: { id } }))
    return heap.length
  },
  async farmgate() {
    // The backup of an unchanged save is the existing one.
    for (const { id } of (await port.backups()).backups) await port.removeBackup(id)
    return measured(() => port.makeBackup())
  },
  bare: () => measured(bareZip),
  /** Milliseconds until a backup has replaced the save. */
  async restore() {
    const [backup] = (await port.backups()).backups
    const began = performance.now()
    await port.restoreBackup(backup?.id ?? '', false)
    return performance.now() - began
  },
  /** Milliseconds until all backups are listed. */
  async list() {
    const began = performance.now()
    const { backups } = await port.backups()
    return { count: backups.length, milliseconds: performance.now() - began }
  },
})
