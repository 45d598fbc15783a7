import { fork, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Manifest } from '../ticket/depot/format/manifest.ts'
import { bareChunks, bareHash } from './download/bare.ts'
import type { CdnAnswer, CdnOrder } from './download/cdn-process.ts'
import type { LibraryOrder } from './download/library.ts'
import { manifestOf } from './download/manifest-of.ts'
import type { OurRun } from './download/our-process.ts'
import type { Place } from './download/place.ts'
import { printTable, type Row } from './measure.ts'

/**
 * Measures the download of a depot against `downloadFile` of steam-user, and against a bare loop that only decodes,
 * hashes and writes. All three use the same content server on the same machine in the same run.
 */

const FORMATS = [
  { format: 'lzma', megabytes: 70, factor: 15 },
  { format: 'zstd', megabytes: 1024, factor: 5 },
  { format: 'zip', megabytes: 1024, factor: 3 },
] as const
const HUGE = 4096
const PROCESSORS = availableParallelism()
/** The default of `DOWNLOAD_WORKERS`. */
const WORKERS = Math.min(PROCESSORS, 4)
/** One decoding thread less, which leaves a processor to the content server and the receiving thread. */
const FEWER_WORKERS = Math.max(1, WORKERS - 1)

const base = mkdtempSync(join(tmpdir(), 'farmgate-bench-'))
/** The compared trees are written to memory where there is room, so that the speed of the disk is not measured. */
const fast = mkdtempSync(join(hasRoom('/dev/shm', 3 * 2 ** 30) ? '/dev/shm' : tmpdir(), 'farmgate-bench-'))
const cdn = fork(new URL('./download/cdn-process.ts', import.meta.url), { stdio: 'inherit' })
const rows: Row[] = []
let lastDepot = 5000

async function order(what: CdnOrder): Promise<CdnAnswer> {
  cdn.send(what)
  const [answer]: CdnAnswer[] = await once(cdn, 'message')
  if (answer === undefined) throw new Error('the content server said nothing')
  return answer
}

/** Runs a file of `bench/download/` in a separate process. @returns the JSON that it prints */
async function run<Result>(file: string, ...args: string[]): Promise<Result> {
  const path = new URL(`./download/${file}.ts`, import.meta.url).pathname
  const child = spawn(process.execPath, [path, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  child.stdout.on('data', (piece: Buffer) => {
    text += piece
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${file} ended with ${code}`)
  return JSON.parse(text)
}

const ours = (command: 'download' | 'verify', place: Place): Promise<OurRun> =>
  run('our-process', command, JSON.stringify(place))

function library(place: Place, { files }: Manifest): Promise<number> {
  const order = join(base, 'library.json')
  writeFileSync(order, JSON.stringify({ place, files } satisfies LibraryOrder))
  return run('library', order)
}

function hasRoom(directory: string, bytes: number): boolean {
  if (!existsSync(directory)) return false
  const { bavail, bsize } = statfsSync(directory)
  return bavail * bsize > bytes
}

/**
 * Writes this much to memory once: the first write to a page takes longer, and only the first subject would be slowed
 * down.
 */
function touchMemory(megabytes: number): void {
  const file = join(fast, 'touched')
  const block = Buffer.alloc(64 * 2 ** 20, 1)
  for (let size = 0; size < megabytes; size += 64) writeFileSync(file, block, { flag: 'a' })
  remove(file)
}

/**
 * Runs both three times, alternating. Callers use the best, because a first run is slower: memory and code are not
 * ready.
 */
async function byTurns<Ours, Other>(
  ours: () => Promise<Ours>,
  other: () => Promise<Other>,
): Promise<{ ours: [Ours, ...Ours[]]; other: [Other, ...Other[]] }> {
  const results: { ours: [Ours, ...Ours[]]; other: [Other, ...Other[]] } = {
    ours: [await ours()],
    other: [await other()],
  }
  for (let round = 1; round < 3; round++) {
    results.ours.push(await ours())
    results.other.push(await other())
  }
  return results
}

const minimum = (numbers: readonly number[]): number => Math.min(...numbers)
const maximum = (numbers: readonly number[]): number => Math.max(...numbers)

/** Adds a row whose ratio must be at least `minimum`. */
function row(
  what: string,
  ours: string,
  other: string,
  ratio: number,
  minimum: number,
  goal?: Pick<Row, 'goal' | 'limit'>,
): void {
  const measured = measuredAs(ratio, ours, other)
  rows.push({ what, measured, bound: `≥ ${minimum}`, holds: ratio >= minimum, ...goal })
}

/** Adds a row whose value must be at most `bound`. */
function atMost(what: string, ours: string, value: number, bound: number): void {
  rows.push({ what, measured: measuredAs(value, ours), bound: `≤ ${bound}`, holds: value <= bound })
}

/** Such as `0.83 (410 MB/s, 494 MB/s)`. */
function measuredAs(value: number, ...speeds: readonly string[]): string {
  const known = speeds.filter((speed) => speed !== '')
  return known.length === 0 ? value.toFixed(2) : `${value.toFixed(2)} (${known.join(', ')})`
}

function place({ host, key, sdkKey }: CdnAnswer, depotId: number, directory: string): Place {
  return { host, key, sdkKey, depotId, workers: WORKERS, directory }
}

/** One SHA-1 over all files of a manifest. */
function hashOfAll(manifest: Manifest, directory: string): string {
  const all = createHash('sha1')
  for (const { path } of manifest.files) all.update(path).update(readFileSync(join(directory, path)))
  return all.digest('hex')
}

function remove(directory: string): void {
  rmSync(directory, { recursive: true, force: true })
}

async function format({ format: name, megabytes, factor }: (typeof FORMATS)[number]): Promise<void> {
  const depotId = ++lastDepot
  const answer = await order({ make: 'game', format: name, megabytes, depotId })
  const at = (end: string): Place => place(answer, depotId, join(fast, `${name}-${end}`))
  const [mine, theirs, bare] = [at('ours'), at('theirs'), at('bare')]
  const manifest = await manifestOf(mine)
  const speed = (seconds: number): string => `${(megabytes / seconds).toFixed(1)} MiB/s`
  /** Runs one subject and deletes its files, so that each run starts without another's files in memory. */
  const alone = async <Result>(end: Place, once: () => Promise<Result>): Promise<Result> => {
    try {
      return await once()
    } finally {
      remove(end.directory)
    }
  }
  touchMemory(2 * megabytes)
  const slow = await library(theirs, manifest)
  await ours('download', mine)
  if (hashOfAll(manifest, mine.directory) !== hashOfAll(manifest, theirs.directory))
    throw new Error('trees differ')
  for (const { directory } of [mine, theirs]) remove(directory)

  for (const workers of new Set([WORKERS, FEWER_WORKERS])) {
    const turns = await byTurns(
      () => alone(mine, () => withCdn({ ...mine, workers })),
      () => alone(bare, () => bareChunks({ ...bare, workers }, manifest)),
    )
    const [first, ...others] = turns.ours
    const fastest = others.reduce((a, b) => (b.seconds < a.seconds ? b : a), first)
    const [best, limit] = [fastest.seconds, minimum(turns.other)]
    if (workers === WORKERS) {
      row(`${name}: against downloadFile`, speed(best), speed(slow), slow / best, factor, {
        ...(name === 'lzma' && { goal: '≥ 25', limit: usedProcessors(fastest) }),
      })
      atMost(`${name}: main-thread stall, ms`, '', maximum(turns.ours.map(({ stall }) => stall)), 50)
    }
    const [all, fewer] = [workers === WORKERS, workers === FEWER_WORKERS]
    const what = `${name}: against the bare loop on ${workers === 1 ? '1 thread' : `${workers} threads`}`
    row(what, speed(best), speed(limit), limit / best, fewer ? 0.7 : 0.5, {
      ...(all && { goal: '≥ 0.85' }),
      ...(fewer && { goal: '≥ 0.95' }),
      limit: `${usedProcessors(fastest)}; the bare loop does not sync and rename its ${manifest.files.length} files`,
    })
  }
}

/** A download, and the share of a processor that the content server used during it. */
async function withCdn(place: Place): Promise<OurRun & { readonly cdn: number }> {
  const before = (await order({ make: 'count' })).cpu
  const run = await ours('download', place)
  return { ...run, cdn: ((await order({ make: 'count' })).cpu - before) / 1000 / run.seconds }
}

/** Such as `1.93 of 2 processors are used: 0.91 and 0.90 by the busiest threads, 0.12 by the content server`. */
function usedProcessors({ busy, cdn }: OurRun & { readonly cdn: number }): string {
  const all = busy.reduce((sum, share) => sum + share, cdn)
  const [first = 0, second = 0] = busy
  return `${all.toFixed(2)} of ${PROCESSORS} processors are used: ${first.toFixed(2)} and ${second.toFixed(2)} by the busiest threads, ${cdn.toFixed(2)} by the content server`
}

async function huge(megabytes: number, directory: string): Promise<Place> {
  const depotId = ++lastDepot
  return place(await order({ make: 'huge', megabytes, depotId }), depotId, join(directory, `huge-${depotId}`))
}

async function growth(): Promise<void> {
  const [single, double] = [await huge(1024, fast), await huge(2048, fast)]
  const whole = async (at: Place): Promise<number> => {
    // Before each run of both: the virtual machine reclaims memory that was unused for a second or two.
    touchMemory(2048)
    const { seconds } = await ours('download', at)
    remove(at.directory)
    return seconds
  }
  const turns = await byTurns(
    () => whole(single),
    () => whole(double),
  )
  const [once, twice] = [minimum(turns.ours), minimum(turns.other)]
  atMost('twice the depot: time', `${twice.toFixed(1)} s`, twice / once, 2.1)
}

async function memory(): Promise<void> {
  const at = await huge(HUGE, base)
  const first = await ours('download', at)
  atMost(`${HUGE} MiB depot: memory, MB`, `${first.seconds.toFixed(1)} s`, first.memory, 350)
  atMost(`${HUGE} MiB depot: main-thread stall, ms`, '', first.stall, 50)
  const before = (await order({ make: 'count' })).count
  const second = await ours('download', at)
  const after = (await order({ make: 'count' })).count
  const seconds = `${second.seconds.toFixed(1)} s`
  atMost('second download: chunks fetched', seconds, after - before + second.changed, 0)
  const manifest = await manifestOf(at)
  const files = manifest.files.map(({ path }) => join(at.directory, path))
  const turns = await byTurns(
    () => ours('verify', at),
    () => bareHash(files, WORKERS),
  )
  const [check, plain] = [minimum(turns.ours.map((each) => each.seconds)), minimum(turns.other)]
  const took = (time: number): string => `${time.toFixed(2)} s`
  row('verify: against plain SHA-1', took(check), took(plain), plain / check, 0.8)
  atMost('verify: differences', '', maximum(turns.ours.map(({ changed }) => changed)), 0)
}

/** The parts that the command line can name; without a name, all run. */
const parts = new Map<string, () => Promise<void>>([
  ...FORMATS.map((each) => [each.format, () => format(each)] as const),
  ['growth', growth],
  ['memory', memory],
])
const chosen = process.argv.slice(2).filter((word) => parts.has(word))

try {
  for (const [name, part] of parts) if (chosen.length === 0 || chosen.includes(name)) await part()
} finally {
  cdn.disconnect()
  remove(base)
  remove(fast)
}

printTable('Download', rows)
