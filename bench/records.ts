/**
 * The records: their cost for a read and for a write, and the speed of a year of history. The peer of a request is the
 * same API with records that store nothing.
 */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { databaseFile } from '../services/records/database.ts'
import { openRecords } from '../services/records/open-records.ts'
import { median, printTable, startSubject } from './measure.ts'
import { quietLog } from './measured-server.ts'

const rounds = 7
const connections = 64
const key = randomBytes(32).toString('base64')
const at = (name: string) => new URL(name, import.meta.url)
const folder = mkdtempSync(join(tmpdir(), 'farmgate-bench-'))

/**
 * Microseconds of processor time of a request, of the whole process with all its threads, and their ratio. @param
 * gameTakes milliseconds that the game takes to make a change
 */
async function costOf(
  request: { readonly method: string; readonly path: string },
  requests: number,
  gameTakes = 0,
) {
  const subject = at('subjects/farmgate-with-records.ts')
  const kept = await startSubject(subject, key, join(folder, 'data'), String(gameTakes))
  const none = await startSubject(subject, key, '', String(gameTakes))
  const load = await startSubject(at('subjects/http-load.ts'))
  const microseconds = async (measured: typeof kept) => {
    const port = await measured.call<number>('port')
    const before = await measured.call<number>('cpu')
    await load.call('run', { port, key, connections, requests, ...request })
    return (((await measured.call<number>('cpu')) - before) * 1000) / requests
  }
  const runs: { readonly without: number; readonly with: number }[] = []
  for (let round = -1; round < rounds; round += 1) {
    const without = await microseconds(none)
    const run = { without, with: await microseconds(kept) }
    if (round >= 0) runs.push(run)
  }
  for (const one of [kept, none, load]) await one.stop()
  return {
    without: median(runs.map((run) => run.without)),
    with: median(runs.map((run) => run.with)),
    ratio: median(runs.map((run) => run.with / run.without)),
  }
}

const minutesOfYear = 525_600
const day = 86_400_000

/** Milliseconds of the slowest page of each list, and until the database was open. */
async function pagesOf(minutes: number) {
  const data = join(folder, `history-${minutes}`)
  const path = join(data, databaseFile)
  execFileSync(process.execPath, [at('records/year.ts').pathname, path, String(minutes)])
  const began = performance.now()
  const records = openRecords(data, { audit: 4000, history: 4000, chat: 4000 }, quietLog)
  await records.calls.storedKeys()
  const opened = performance.now() - began
  const port = records.of('local')
  const now = Date.now()
  const middle = now - 180 * day
  const pages = {
    sessions: () => port.sessions({ limit: 500 }),
    'sessions of a day half a year ago': () => port.sessions({ limit: 500, from: middle, to: middle + day }),
    'sessions of a player': () => port.sessions({ limit: 500, playerId: 6_208_260_877_024_290_921n }),
    players: () => port.playersSeen(),
    'samples of a day': () => port.samples({ from: now - day, to: now, step: 120 }),
    'samples of 30 days': () => port.samples({ from: now - 30 * day, to: now, step: 3000 }),
    'samples of a year': () => port.samples({ from: now - 365 * day, to: now, step: 32_400 }),
    days: () => port.days({ limit: 500 }),
    chat: () => port.chat({ limit: 500 }),
    'chat from the middle': () => port.chat({ limit: 500, before: minutes }),
  }
  const times: Record<string, number> = {}
  for (const [name, page] of Object.entries(pages)) {
    const runs: number[] = []
    for (let run = 0; run < 15; run += 1) {
      const start = performance.now()
      await page()
      runs.push(performance.now() - start)
    }
    times[name] = median(runs)
  }
  await records.close()
  return { opened, times, data }
}

/** The longest block of the event loop while a year of rows is removed, milliseconds. */
async function blockOfRetention(data: string) {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  const records = openRecords(data, { audit: 0, history: 0, chat: 0 }, quietLog)
  await records.calls.storedKeys()
  delay.enable()
  await pause(10_000)
  delay.disable()
  await records.close()
  return delay.max / 1e6
}

async function requests() {
  const read = await costOf({ method: 'GET', path: '/players' }, 20_000)
  const rendering = { method: 'POST', path: '/rendering?fps=5' }
  const write = await costOf(rendering, 10_000)
  // Its row is written at its start, and completed at its end.
  const slowWrite = await costOf(rendering, 10_000, 5)
  const row = (
    what: string,
    cost: typeof read,
    bound: number,
    goal: { goal?: string; limit?: string } = {},
  ) => ({
    what: `${what}: ${cost.without.toFixed(0)} µs without, ${cost.with.toFixed(0)} µs with`,
    measured: cost.ratio.toFixed(2),
    bound: `≤ ${bound}`,
    holds: cost.ratio <= bound,
    ...goal,
  })
  const goal = '≤ 1.15'
  printTable('What records add to a request: processor time with records over that without', [
    row('GET /players', read, 1.05),
    row('POST /rendering, audited', write, 1.3, { goal }),
    row('the same of a game that takes 5 ms', slowWrite, 1.5, {
      goal,
      limit: 'the row is stored before the game is asked, and completed after it answered',
    }),
  ])
}

async function history() {
  const year = await pagesOf(minutesOfYear)
  const tenth = await pagesOf(minutesOfYear / 10)
  const block = await blockOfRetention(year.data)
  const ms = (value: number) => `${value.toFixed(1)} ms`
  printTable('A year of a farm: 525,600 samples, 1,051,200 chat lines, 20,216 sessions', [
    { what: 'opened', measured: ms(year.opened), bound: '≤ 300 ms', holds: year.opened <= 300 },
    ...Object.entries(year.times).map(([what, time]) => ({
      what,
      measured: ms(time),
      bound: '≤ 50 ms',
      holds: time <= 50,
    })),
    { what: 'longest block while it is removed', measured: ms(block), bound: '≤ 10 ms', holds: block <= 10 },
  ])
  printTable('Ten times the rows: time of a page over that with a tenth of them', [
    // A tenth of the rows is not a year: such a page would also have a tenth of the points.
    ...Object.entries(year.times)
      .filter(([what]) => what !== 'samples of a year')
      .map(([what, time]) => {
        const ratio = time / (tenth.times[what] ?? Number.NaN)
        return { what, measured: ratio.toFixed(2), bound: '≤ 1.5, or 5 ms', holds: ratio <= 1.5 || time <= 5 }
      }),
  ])
}

/** Microseconds of a commit of one row, and of the checkpoint after twenty; medians. */
function syncCosts(synchronous: 'NORMAL' | 'FULL') {
  using db = new DatabaseSync(join(folder, `${synchronous}.db`))
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}; CREATE TABLE rows (text TEXT)`)
  const insert = db.prepare('INSERT INTO rows VALUES (?)')
  const times = { commit: [] as number[], checkpoint: [] as number[] }
  const timed = (what: keyof typeof times, run: () => void) => {
    const began = performance.now()
    run()
    times[what].push((performance.now() - began) * 1000)
  }
  for (let round = 0; round < 100; round += 1) {
    for (let row = 0; row < 20; row += 1) timed('commit', () => insert.run('x'.repeat(300)))
    timed('checkpoint', () => db.exec('PRAGMA wal_checkpoint(PASSIVE)'))
  }
  return { commit: median(times.commit), checkpoint: median(times.checkpoint) }
}

/** Whether a sync with each commit costs less than a tenth of a write; farmgate syncs once a second. */
async function sync() {
  const [normal, full] = [syncCosts('NORMAL'), syncCosts('FULL')]
  const µs = (value: number) => `${value.toFixed(0)} µs`
  printTable('What a power failure cannot undo', [
    { what: 'a commit; with a sync', measured: `${µs(normal.commit)}; ${µs(full.commit)}` },
    { what: 'the checkpoint once a second', measured: µs(normal.checkpoint) },
  ])
}

/** `node bench/records.ts requests` measures only that part. */
const parts = { requests, history, sync }
const wanted = process.argv[2]
try {
  for (const [name, measure] of Object.entries(parts))
    if (wanted === undefined || wanted === name) await measure()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
