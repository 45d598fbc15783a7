/** `deploy/prometheus/alerts.yml` and `deploy/grafana/farmgate.json`. */
import * as v from 'valibot'
import { parse } from 'yaml'
import { readText } from '../compose.ts'
import { type Readings, valuesOf } from './promql.ts'

const file = v.object({
  groups: v.array(
    v.object({
      rules: v.array(
        v.strictObject({
          alert: v.string(),
          expr: v.string(),
          for: v.optional(v.string()),
          labels: v.object({ severity: v.picklist(['critical', 'warning']) }),
          annotations: v.object({ summary: v.string(), description: v.string() }),
        }),
      ),
    }),
  ),
})
const dashboard = v.object({
  templating: v.object({ list: v.array(v.object({ name: v.string(), query: v.string() })) }),
  panels: v.array(v.object({ title: v.string(), targets: v.array(v.object({ expr: v.string() })) })),
})

const minutesIn = (duration: string): number => {
  const [, count, unit] = /^(\d+)([mh])$/.exec(duration) ?? []
  if (count === undefined) throw new Error(`not in minutes or hours: ${duration}`)
  return Number(count) * (unit === 'h' ? 60 : 1)
}

export const rulesFile = 'deploy/prometheus/alerts.yml'

/** In the order of the file. `pending`: minutes (`for`). */
export const rules = v
  .parse(file, parse(readText(rulesFile)))
  .groups.flatMap(({ rules: found }) =>
    found.map(({ for: duration = '0m', ...rule }) => ({ ...rule, pending: minutesIn(duration) })),
  )
export type Rule = (typeof rules)[number]

/** The expression of each alert. */
export const alerts: ReadonlyMap<string, string> = new Map(rules.map(({ alert, expr }) => [alert, expr]))

/** The alerts whose expression holds, for any `for`. */
export const holding = (readings: Readings): readonly string[] =>
  rules.filter(({ expr }) => valuesOf(expr, readings).size > 0).map(({ alert }) => alert)

const { panels, templating } = v.parse(dashboard, JSON.parse(readText('deploy/grafana/farmgate.json')))

/** The expressions of the charts, with numbers instead of Grafana's own variables. */
export const charts: readonly string[] = panels.flatMap(({ targets }) =>
  targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*')),
)

/** The metrics by which the dashboard finds the processes that it offers. */
export const instanceMetrics: readonly string[] = templating.list.flatMap(
  ({ query }) => /__name__=~"([\w|]+)"/.exec(query)?.[1]?.split('|') ?? [],
)
