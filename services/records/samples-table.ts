/**
 * One sample a minute, and summaries of ten minutes and of an hour, so that a year needs 8,760 rows. Each sample
 * computes its summary again from all its samples, so it is right also after samples were merged or replaced.
 */
import type { DatabaseSync } from 'node:sqlite'
import * as v from 'valibot'
import {
  type HistorySamples,
  type Measure,
  measures,
  type SamplesQuery,
} from '../../handlers/history-records.ts'
import { isoTime } from '../../handlers/iso-time.ts'
import type { Prune } from './prune.ts'

export interface Sample extends Partial<Readonly<Record<Measure, number>>> {
  /** When the minute began, milliseconds since 1970. */
  readonly at: number
}

const levels = [
  { table: 'hours', length: 3_600_000 },
  { table: 'tenMinutes', length: 600_000 },
] as const

const list = (of: (measure: Measure) => string) => measures.map(of).join(', ')
const point = v.objectWithRest({ at: v.number() }, v.nullable(v.number()))

export function samplesTable(db: DatabaseSync) {
  const insert = db.prepare(
    `INSERT OR REPLACE INTO samples (at, ${list(String)}) VALUES (?, ${list(() => '?')})`,
  )
  const summarise = levels.map(({ table, length }) => ({
    length,
    run: db.prepare(
      `INSERT OR REPLACE INTO ${table} (at, ${list((m) => `${m}Count, ${m}Sum, ${m}Max`)})
        SELECT ?1, ${list((m) => `count(${m}), sum(${m}), max(${m})`)}
        FROM samples WHERE at >= ?1 AND at < ?2`,
    ),
  }))
  // Numbers are bound as REAL, which would make the division fractional.
  const length = 'CAST(?3 AS INTEGER)'
  const points = (from: string, mean: (measure: Measure) => string, max: (measure: Measure) => string) =>
    db.prepare(
      `SELECT at / ${length} * ${length} AS at, ${list((m) => `${mean(m)} AS ${m}Mean, max(${max(m)}) AS ${m}Max`)}
        FROM ${from} WHERE at >= ?1 AND at < ?2 GROUP BY 1 ORDER BY 1 LIMIT 1000`,
    )
  const ofSummaries = levels.map(({ table, length }) => ({
    length,
    points: points(
      table,
      (m) => `sum(${m}Sum) / sum(${m}Count)`,
      (m) => `${m}Max`,
    ),
  }))
  const ofSamples = points('samples', (m) => `avg(${m})`, String)
  const old = ['samples', ...levels.map(({ table }) => table)].map((table) =>
    db.prepare(`DELETE FROM ${table} WHERE at IN (SELECT at FROM ${table} WHERE at < ? ORDER BY at LIMIT ?)`),
  )

  return {
    reads: {
      samples({ from, to, step }: SamplesQuery): HistorySamples {
        const length = step * 1000
        const source = ofSummaries.find((summaries) => length % summaries.length === 0)?.points ?? ofSamples
        const begin = Math.floor(from / length) * length
        return { step, samples: source.all(begin, to, length).map((found) => pointOf(v.parse(point, found))) }
      },
    },
    later: {
      sampled(sample: Sample): void {
        insert.run(sample.at, ...measures.map((measure) => sample[measure] ?? null))
        for (const { length, run } of summarise) {
          const began = Math.floor(sample.at / length) * length
          run.run(began, began + length)
        }
      },
    },
    prunes: old.map(
      (remove): Prune => ({
        kept: 'history',
        run: (before: number, limit: number) => void remove.run(before, limit),
      }),
    ),
  }
}

function pointOf({ at, ...values }: v.InferOutput<typeof point>) {
  const summaries = measures.flatMap((measure) => {
    const [mean, max] = [values[`${measure}Mean`], values[`${measure}Max`]]
    if (typeof mean !== 'number' || typeof max !== 'number') return []
    return [[measure, { mean: rounded(mean), max: rounded(max) }] as const]
  })
  return { at: isoTime(at), ...Object.fromEntries(summaries) }
}

const rounded = (value: number): number => Math.round(value * 1000) / 1000
