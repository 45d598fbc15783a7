/** What the view of the history reads for the shown time. */
import type {
  Farm,
  HistoryDays,
  HistoryOutages,
  HistorySamples,
  HistorySessions,
  Summary,
} from '../../../client/index.ts'
import { isWithoutPath } from '../../session/without-path.ts'

/** The length of each span, and of its steps, in seconds. */
const spans = {
  hour: [3600, 60],
  day: [86_400, 300],
  month: [30 * 86_400, 7200],
} as const
export type SpanName = keyof typeof spans

/** What the machine and the game's process use. */
export const resourceMetrics = [
  'machineCpuPercent',
  'machineMemoryMb',
  'gameCpuPercent',
  'gameMemoryMb',
  'diskPercent',
] as const
export const metrics = [
  'players',
  'ticksPerSecond',
  'tickMs',
  'memoryMb',
  'answerMs',
  ...resourceMetrics,
] as const
export type Metric = (typeof metrics)[number]

export type Session = HistorySessions['sessions'][number]
export type Day = HistoryDays['days'][number]

export interface Shown {
  /** Milliseconds since 1970. */
  readonly from: number
  readonly to: number
  readonly samples: HistorySamples
  readonly sessions: readonly Session[]
  readonly days: readonly Day[]
  /** Undefined at a farm of an earlier release, which does not know the path. */
  readonly outages: HistoryOutages | undefined
  /** Whether older ones of this time were omitted. */
  readonly isCut: { readonly sessions: boolean; readonly days: boolean }
}

/** The shortest time that is drawn. */
const shortest = 600_000
/** Maximum of sessions and days that are read. */
export const mostEntries = 1500
const limit = 500

/**
 * @param to milliseconds since 1970, by the clock of the farm
 * @throws {FarmgateError}
 */
export async function readSpan(farm: Farm, name: SpanName, to: number, signal: AbortSignal): Promise<Shown> {
  const [seconds, step] = spans[name]
  const from = to - seconds * 1000
  const between = { from: new Date(from).toISOString(), to: new Date(to).toISOString() }
  const [samples, sessions, days, outages] = await Promise.all([
    farm.historySamples({ ...between, step }, { signal }),
    newest(async (before) => {
      const { sessions, next } = await farm.historySessions({ ...between, before, limit }, { signal })
      return { entries: sessions, next }
    }),
    newest(async (before) => {
      const { days, next } = await farm.historyDays({ before, limit }, { signal })
      const entries = days.filter(({ endedAt, beganAt }) => Date.parse(endedAt ?? beganAt) >= from)
      // Newest first: after the first one that is too old, the others are too.
      return { entries, next: entries.length < days.length ? undefined : next }
    }),
    farm.historyOutages({ from: between.from }, { signal }).catch((error: unknown) => {
      if (isWithoutPath(error)) return undefined
      throw error
    }),
  ])
  const first = Math.min(
    ...samples.samples.slice(0, 1).map(({ at }) => Date.parse(at)),
    ...sessions.entries.map(({ joinedAt }) => Date.parse(joinedAt)),
    ...days.entries.map(({ beganAt }) => Date.parse(beganAt)),
  )
  return {
    from: beginOf(from, first, to),
    to,
    samples,
    sessions: sessions.entries,
    days: days.entries,
    outages,
    isCut: { sessions: sessions.isCut, days: days.isCut },
  }
}

/**
 * The beginning of a drawing that could reach back to `from`: a farm of two days does not begin at the right edge of a
 * month.
 * @param first time of the first entry; infinite where there is none
 */
export const beginOf = (from: number, first: number, to: number): number =>
  Number.isFinite(first) ? Math.min(Math.max(from, first), to - shortest) : from

/** Reads pages until there is none left, or there are enough entries. */
async function newest<Entry>(
  page: (before: string | undefined) => Promise<{ entries: readonly Entry[]; next: string | undefined }>,
): Promise<{ entries: readonly Entry[]; isCut: boolean }> {
  const entries: Entry[] = []
  let before: string | undefined
  do {
    const read = await page(before)
    entries.push(...read.entries)
    before = read.next
  } while (before !== undefined && entries.length < mostEntries)
  return { entries, isCut: before !== undefined }
}

export interface Series {
  /** Seconds since 1970. */
  readonly at: readonly number[]
  /** Null where there is no sample. */
  readonly values: readonly (Summary | null)[]
}

/** Samples up to this many steps apart are joined by a line, because a single one can be late. */
const oneLine = 2.5

/** The samples of one metric, with a hole wherever steps are missing, so that no line is drawn across it. */
export function seriesOf({ step, samples }: HistorySamples, metric: Metric): Series {
  const at: number[] = []
  const values: (Summary | null)[] = []
  for (const sample of samples) {
    const now = Date.parse(sample.at) / 1000
    const last = at.at(-1)
    if (last !== undefined && now - last > step * oneLine) {
      at.push(last + step)
      values.push(null)
    }
    at.push(now)
    values.push(sample[metric] ?? null)
  }
  return { at, values }
}

/** The places of samples without a neighbour: no line passes through them, so each is drawn as a point. */
export const lonely = ({ values }: Series): number[] =>
  [...values.keys()].filter(
    (at) =>
      (values[at] ?? null) !== null && (values[at - 1] ?? null) === null && (values[at + 1] ?? null) === null,
  )

/** Mean and maximum of the whole time; undefined without any sample. */
export function overall({ values }: Series): Summary | undefined {
  const known = values.filter((value) => value !== null)
  if (known.length === 0) return undefined
  return {
    mean: known.reduce((sum, { mean }) => sum + mean, 0) / known.length,
    max: Math.max(...known.map(({ max }) => max)),
  }
}
