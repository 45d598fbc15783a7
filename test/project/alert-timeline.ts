/**
 * An alert over time: before its cause, during it, and after it. One sample a minute, made of the metrics of real
 * processes.
 */
import type { Sample } from '../runtime/node/scrape.ts'
import { type Rule, rules } from './alert-rules.ts'
import { metricsIn, type Vector, valuesOf } from './promql.ts'

/** The metrics of a process with the cause of an alert. */
export interface Cause {
  readonly alert: string
  /** While all is well. */
  readonly well: readonly Sample[]
  /** At the start and at the end of the cause. */
  readonly before: readonly Sample[]
  readonly after: readonly Sample[]
}

export interface Timeline {
  readonly cause: Cause
  readonly rule: Rule
  /** The minutes of the first sample with the cause, of the first one without it, and of the last one. */
  readonly begins: number
  readonly ends: number
  readonly last: number
  /** By series. */
  readonly values: ReadonlyMap<Series, readonly number[]>
  /** The series for which each rule sends an alert, minute by minute. */
  readonly sent: ReadonlyMap<Rule, readonly Vector[]>
}

export type Series = Omit<Sample, 'value'>

/** More than the windows of a rule in which a cause is searched: earlier events no longer count. */
const quietMinutes = ({ expr }: Rule) => (expr.startsWith('predict_linear') ? 70 : 20)
/** How long a cause stays after its alert was sent. */
const staysMinutes = 5

const used = new Set(rules.flatMap(({ expr }) => metricsIn(expr)))
const isCounter = ({ name }: Series) => /_(?:total|sum|count)$/.test(name)

const valueIn = (samples: readonly Sample[], { name, labels }: Series) =>
  samples.find((sample) => sample.name === name && JSON.stringify(sample.labels) === JSON.stringify(labels))
    ?.value

/** A counter grows each minute by as much as during the cause; a gauge has its measured value. */
export function timelineOf(cause: Cause): Timeline {
  const rule = rules.find(({ alert }) => alert === cause.alert)
  if (rule === undefined) throw new Error(`no rule ${cause.alert}`)
  const begins = quietMinutes(rule)
  const ends = begins + rule.pending + staysMinutes
  const last = ends + quietMinutes(rule)
  const values = new Map(
    cause.well
      .filter(({ name }) => used.has(name))
      .map(({ value, ...series }) => {
        const [before, after] = [valueIn(cause.before, series), valueIn(cause.after, series)]
        const growth = (after ?? 0) - (before ?? 0)
        const valueAt = (minute: number) => {
          if (isCounter(series))
            return value + growth * (Math.min(Math.max(minute, begins - 1), ends - 1) - begins + 1)
          return minute >= begins && minute < ends ? (after ?? value) : value
        }
        return [series, Array.from({ length: last + 1 }, (_, minute) => valueAt(minute))] as const
      }),
  )
  const samples = Array.from({ length: last + 1 }, (_, minute) =>
    [...values].map(([series, all]): Sample => ({ ...series, value: all[minute] ?? Number.NaN })),
  )
  const sent = new Map(rules.map((one) => [one, sentBy(one, samples)] as const))
  return { cause, rule, begins, ends, last, values, sent }
}

/**
 * The series for which an alert is sent, minute by minute: those that its expression has had for as long as its `for`.
 * @param samples by minute
 */
function sentBy({ expr, pending }: Rule, samples: readonly (readonly Sample[])[]): readonly Vector[] {
  const since = new Map<string, number>()
  return samples.map((now, minute) => {
    const found = valuesOf(expr, { now, ago: (minutes) => samples[minute - minutes] ?? [] })
    for (const labels of since.keys()) if (!found.has(labels)) since.delete(labels)
    for (const labels of found.keys()) since.set(labels, since.get(labels) ?? minute)
    return new Map([...found].filter(([labels]) => minute - (since.get(labels) ?? minute) >= pending))
  })
}

/** The minutes at which every alert is checked, and those of them at which the cause's own alert is sent. */
export function checkpoints({ begins, ends, last, rule: { pending } }: Timeline) {
  const early = pending === 0 ? [begins - 1] : [begins - 1, begins, begins + pending - 1]
  const sent = [begins + pending, ends - 1]
  return { minutes: [...new Set([...early, ...sent, last])], sent: new Set(sent) }
}
