/** `deploy/prometheus/alerts.yml` and `deploy/grafana/farmgate.json`. */
import * as v from 'valibot'
import { parse } from 'yaml'
import { readText } from '../compose.ts'

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
  panels: v.array(v.object({ title: v.string(), targets: v.array(v.object({ expr: v.string() })) })),
})

/** The expression of each alert. */
export const alerts: ReadonlyMap<string, string> = new Map(
  v
    .parse(file, parse(readText('deploy/prometheus/alerts.yml')))
    .groups.flatMap(({ rules }) => rules.map(({ alert, expr }) => [alert, expr] as const)),
)

/** The expressions of the charts, with numbers in place of Grafana's own words. */
export const charts: readonly string[] = v
  .parse(dashboard, JSON.parse(readText('deploy/grafana/farmgate.json')))
  .panels.flatMap(({ targets }) =>
    targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*')),
  )
