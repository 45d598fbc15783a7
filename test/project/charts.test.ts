/** The metrics that deploy/prometheus and deploy/grafana name exist. */
import { describe, expect, test } from 'vitest'
import { causeCodes } from '../../handlers/cause.ts'
import { isOutage } from '../../handlers/outages.ts'
import { alerts, charts, instanceMetrics } from './alert-rules.ts'
import { metricsIn } from './promql.ts'
import { registeredMetrics } from './registered-metrics.ts'

describe('the files that operators load', () => {
  test('every metric that an alert or a chart names exists', () => {
    const existing = new Set([
      // Prometheus's own.
      'up',
      ...Object.values(registeredMetrics())
        .flat()
        .flatMap(({ name, type }) =>
          type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => name + end) : [name],
        ),
    ])
    const named = [...alerts.values(), ...charts].flatMap(metricsIn).concat(instanceMetrics)
    expect(instanceMetrics.length).toBeGreaterThan(1)
    expect(named.length).toBeGreaterThan(30)
    expect(named.filter((name) => !existing.has(name))).toEqual([])
  })

  test('the alert of a farm that cannot be played is for every outage but a frozen game, which has its own', () => {
    const [, others = ''] =
      /farmgate_cause\{code!~"([^"]+)"\}/.exec(alerts.get('FarmgateFarmAway') ?? '') ?? []
    expect(others.split('|').toSorted()).toEqual(
      causeCodes.filter((code) => code === 'frozen' || !isOutage(code)).toSorted(),
    )
  })

  test('every label that a chart sums by is one of its metric', () => {
    const labels = new Map(
      Object.values(registeredMetrics())
        .flat()
        .map(({ name, type, labelNames }): [string, readonly string[]] =>
          type === 'histogram' ? [`${name}_bucket`, [...labelNames, 'le']] : [name, labelNames],
        ),
    )
    const sums = charts.flatMap((chart) =>
      [...chart.matchAll(/\bby \(([\w, ]+)\)/g)].map(([, by = '']) => ({ chart, by: by.split(', ') })),
    )
    expect(sums.length).toBeGreaterThan(4)
    for (const { chart, by } of sums)
      for (const metric of metricsIn(chart))
        expect([
          chart,
          by.filter((label) => label !== 'instance' && !labels.get(metric)?.includes(label)),
        ]).toEqual([chart, []])
  })

  test('every metric of the farm is in an alert or a chart', () => {
    const named = new Set([...alerts.values(), ...charts].flatMap(metricsIn))
    const { 'farm and edge': shared, farm: own } = registeredMetrics()
    const left = [...shared, ...own]
      .map(({ name, type }) => (type === 'histogram' ? `${name}_bucket` : name))
      .filter((name) => !named.has(name))
    expect(left).toEqual([])
  })
})
