/** Running processes show the metrics that the code registers, each with its meaning (`# HELP`). */
import { expect, test } from 'vitest'
import { openedFarm } from '../runtime/node/open-farm.ts'
import { fakePlatform } from '../ticket/fake-platform.ts'
import { httpSetting } from '../ticket/http-setting.ts'
import { registeredMetrics, shownIn } from './registered-metrics.ts'

const key = 'metrics-metrics-metrics-metrics'
const withoutLabels = (metrics: ReturnType<typeof shownIn>) =>
  metrics
    .map(({ name, help, type }) => ({ name, help, type }))
    .sort((one, other) => (one.name < other.name ? -1 : 1))

test('a running farm shows every registered metric with its meaning', async () => {
  const { url } = await openedFarm({
    API_KEY: key,
    GAME_API_URL: 'http://127.0.0.1:9',
    GAME_HOST: 'command',
    GAME_START: '["true"]',
    GAME_STOP: '["true"]',
    GAME_RUNNING: '["false"]',
    PLATFORM_AUTH_URL: 'http://127.0.0.1:9',
    EDGE_URL: 'http://127.0.0.1:9',
    EDGE_LINK_KEY: 'bGluayBrZXkgdGhhdCBpcyAzMiBieXRlcyBsb24=',
  })
  const answer = await fetch(`${url}/metrics`, { headers: { Authorization: `Bearer ${key}` } })
  const { 'farm and edge': shared, farm: own } = registeredMetrics()
  expect(shownIn(await answer.text())).toEqual(withoutLabels([...shared, ...own]))
})

test('the ticket service shows every registered metric with its meaning', async () => {
  const answer = await httpSetting(fakePlatform()).call('/metrics')
  expect(shownIn(await answer.text())).toEqual(withoutLabels(registeredMetrics()['ticket service']))
})

test('every metric is named after Prometheus: farmgate_ or ticket_, base units, and _total for counters only', () => {
  const all = Object.values(registeredMetrics()).flat()
  expect(all.length).toBeGreaterThan(30)
  for (const { name, type } of all) {
    expect(name).toMatch(/^(farmgate|ticket)_[a-z_]+$/)
    expect(name).not.toMatch(/_(ms|milliseconds|kilobytes|megabytes)(_|$)/)
    expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter'])
  }
})
