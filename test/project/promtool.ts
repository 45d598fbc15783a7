/** Prometheus's own `promtool`, of the Debian package `prometheus`. */
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { rules, rulesFile } from './alert-rules.ts'
import { checkpoints, type Series, type Timeline } from './alert-timeline.ts'
import { labelsOf } from './promql.ts'

const run = promisify(execFile)

/** Prometheus adds this to every series. */
const target = { instance: 'farm.example:8080', job: 'farmgate' }

const seriesText = ({ name, labels }: Series) =>
  `${name}{${Object.entries({ ...labels, ...target })
    .map(([label, value]) => `${label}=${JSON.stringify(value)}`)
    .join()}}`

/** An annotation as Prometheus writes it. */
const written = (text: string, value: number, labels: Readonly<Record<string, string>>) =>
  text
    .replace(/\{\{ \$labels\.(\w+) \}\}/g, (_, name: string) => labels[name] ?? '')
    .replaceAll('{{ $value }}', String(value))

/** The expected result of promtool for a timeline, from the evaluator here: every alert at every checkpoint. */
const unitTest = (timeline: Timeline) => ({
  name: timeline.cause.alert,
  interval: '1m',
  input_series: [...timeline.values].map(([series, values]) => ({
    series: seriesText(series),
    values: values.join(' '),
  })),
  alert_rule_test: rules.flatMap((rule) => {
    const sent = timeline.sent.get(rule) ?? []
    return checkpoints(timeline).minutes.map((minute) => ({
      eval_time: `${minute}m`,
      alertname: rule.alert,
      exp_alerts: [...(sent[minute] ?? [])].map(([series, value]) => {
        const labels = { ...Object.fromEntries(labelsOf(series)), ...target }
        const { summary, description } = rule.annotations
        return {
          exp_labels: { ...rule.labels, ...labels },
          exp_annotations: {
            summary: written(summary, value, labels),
            description: written(description, value, labels),
          },
        }
      }),
    }))
  }),
})

/** @param folder for the unit tests. @returns the output of promtool, which fails when it finds anything else */
export async function promtool(timelines: readonly Timeline[], folder: string): Promise<string> {
  const file = fileURLToPath(new URL(`../../${rulesFile}`, import.meta.url))
  const tests = join(folder, 'alerts.test.json')
  writeFileSync(
    tests,
    JSON.stringify({ rule_files: [file], evaluation_interval: '1m', tests: timelines.map(unitTest) }),
  )
  const checked = await run('promtool', ['check', 'rules', file])
  const tested = await run('promtool', ['test', 'rules', tests])
  return checked.stdout + tested.stdout
}
