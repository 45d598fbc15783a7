/**
 * Backups: the cost of one compared with a bare zip of the same files, the time of a restore, and the time to list ten
 * years of them.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type GameSave, savingSteps } from '../bridges/simulated/save-files.ts'
import { median, printTable, startSubject } from './measure.ts'

const rounds = 5
const MB = 1e6
const root = mkdtempSync(join(tmpdir(), 'farmgate-bench-'))
const savesDir = join(root, 'game')
const subject = new URL('subjects/save-backup.ts', import.meta.url)
const save: GameSave = {
  farmName: 'Clover',
  farmId: 123_456_789,
  date: { season: 'summer', day: 5, year: 1 },
  host: 'Server',
  farmhands: ['Abby'],
  gameVersion: '1.6.15',
  bytes: 20 * MB,
}

interface Measured {
  readonly cpu: number
  readonly block: number
  readonly memory: number
}

const ways = ['farmgate', 'bare'] as const
type Way = (typeof ways)[number]

/** Backs up the save repeatedly, alternating between both ways, each in a separate process. */
async function backedUp(): Promise<Readonly<Record<Way, Measured>>> {
  const all: Record<Way, Measured[]> = { farmgate: [], bare: [] }
  const processes = await Promise.all(
    ways.map(async (way) => {
      const folder = join(root, way)
      mkdirSync(folder)
      return { way, process: await startSubject(subject, savesDir, folder, save.farmName) }
    }),
  )
  for (let round = -1; round < rounds; round += 1)
    for (const { way, process } of processes) all[way].push(await process.call<Measured>(way))
  for (const { process } of processes) await process.stop()
  return { farmgate: typical(all.farmgate), bare: typical(all.bare) }
}

/** The first run compiles the code and does not count, except for the memory, which only it measures. */
const typical = ([first, ...others]: readonly Measured[]): Measured => ({
  cpu: median(others.map(({ cpu }) => cpu)),
  block: Math.max(...others.map(({ block }) => block)),
  memory: first?.memory ?? Number.NaN,
})

/** Milliseconds of the longest block of the event loop while a very large save is backed up, with a heap as in use. */
async function blockOfLargeSave() {
  const dir = join(root, 'large')
  const folder = join(root, 'large-backups')
  mkdirSync(folder)
  for (const { run } of savingSteps(join(dir, 'Saves'), { ...save, bytes: 100 * MB })) run()
  const process = await startSubject(subject, dir, folder, save.farmName)
  await process.call('fill')
  const all: Measured[] = []
  for (let round = -1; round < rounds; round += 1) all.push(await process.call<Measured>('farmgate'))
  await process.stop()
  return typical(all).block
}

/** Milliseconds of a restore, with a game that reloads at once. */
async function restored() {
  const process = await startSubject(subject, savesDir, join(root, 'farmgate'), save.farmName)
  const times: number[] = []
  for (let round = 0; round < rounds; round += 1) times.push(await process.call<number>('restore'))
  await process.stop()
  return median(times)
}

/** A backup of each night of ten years in `BACKUP_DIR`; only their number matters here. */
async function listOfTenYears() {
  const folder = join(root, 'ten-years')
  mkdirSync(folder)
  const { backups } = JSON.parse(readFileSync(join(root, 'farmgate', 'index.json'), 'utf8'))
  const nights = Array.from({ length: 3650 }, (_, night) => {
    const madeAt = new Date(Date.UTC(2016, 0, 1 + night)).toISOString()
    return { ...backups[0], id: `night-${night}`, bytes: 0, madeAt, verifiedAt: madeAt }
  })
  for (const { id } of nights) writeFileSync(join(folder, `${id}.zip`), '')
  writeFileSync(join(folder, 'index.json'), JSON.stringify({ backups: nights }))
  const process = await startSubject(subject, savesDir, folder, save.farmName)
  const list = () => process.call<{ count: number; milliseconds: number }>('list')
  const first = await list()
  const times: number[] = []
  for (let round = 0; round < 20; round += 1) times.push((await list()).milliseconds)
  await process.stop()
  return { count: first.count, first: first.milliseconds, next: median(times) }
}

try {
  for (const { run } of savingSteps(join(savesDir, 'Saves'), save)) run()
  const { farmgate: own, bare } = await backedUp()
  const restore = await restored()
  const ratio = own.cpu / bare.cpu
  const memory = (own.memory - bare.memory) / MB
  printTable('A backup of a save of 20 MB', [
    {
      what: 'processor time over that of a bare zip of the same files',
      measured: `${ratio.toFixed(2)} (${own.cpu.toFixed(0)} ms)`,
      bound: '≤ 1.3',
      holds: ratio <= 1.3,
    },
    {
      what: 'memory more than a bare zip',
      measured: `${memory.toFixed(0)} MB`,
      bound: '≤ 48 MB',
      holds: memory <= 48,
    },
    {
      what: 'longest block of the event loop',
      measured: `${own.block.toFixed(1)} ms`,
      bound: '≤ 20 ms',
      holds: own.block <= 20,
    },
    {
      what: 'a restore, without the reload of the game',
      measured: `${restore.toFixed(0)} ms`,
      bound: '≤ 2000 ms',
      holds: restore <= 2000,
    },
  ])
  const large = await blockOfLargeSave()
  printTable('A backup of a save of 100 MB, with 300,000 objects in the heap', [
    {
      what: 'longest block of the event loop',
      measured: `${large.toFixed(1)} ms`,
      bound: '≤ 20 ms',
      holds: large <= 20,
    },
  ])
  const list = await listOfTenYears()
  printTable(`A backup of each night of ten years: ${list.count}`, [
    { what: 'listed the first time', measured: `${list.first.toFixed(1)} ms` },
    { what: 'listed', measured: `${list.next.toFixed(1)} ms`, bound: '≤ 20 ms', holds: list.next <= 20 },
  ])
} finally {
  rmSync(root, { recursive: true, force: true })
}
