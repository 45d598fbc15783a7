/** docs/hosting.md, the code and running processes have the same metrics. `npm run docs:metrics` writes the lists. */
import { expect, test } from 'vitest'
import { readText } from '../compose.ts'
import { serving } from '../runtime/node/farmgate-process.ts'
import { fakePlatform } from '../ticket/fake-platform.ts'
import { httpSetting } from '../ticket/http-setting.ts'
import { registeredMetrics, toldIn, withLists } from './documented-metrics.ts'

const key = 'metrics-metrics-metrics-metrics'
const withoutLabels = (metrics: ReturnType<typeof toldIn>) =>
  metrics
    .map(({ name, help, type }) => ({ name, help, type }))
    .sort((one, other) => (one.name < other.name ? -1 : 1))

test('docs/hosting.md has every metric with its type, labels and meaning', async () => {
  await expect(withLists(readText('docs/hosting.md'))).toMatchFileSnapshot('../../docs/hosting.md')
})

test('the metrics of a running farm are those that the page lists for it', async () => {
  const { url } = await serving({
    API_KEY: key,
    GAME_API_URL: 'http://127.0.0.1:9',
    PLATFORM_AUTH_URL: 'http://127.0.0.1:9',
    EDGE_URL: 'http://127.0.0.1:9',
    EDGE_LINK_KEY: 'bGluayBrZXkgdGhhdCBpcyAzMiBieXRlcyBsb24=',
  })
  const answer = await fetch(`${url}/metrics`, { headers: { Authorization: `Bearer ${key}` } })
  const { 'Farm and edge': shared, 'Farm only': own } = registeredMetrics()
  expect(toldIn(await answer.text())).toEqual(withoutLabels([...shared, ...own]))
})

test('the metrics of the ticket service are those that the page lists for it', async () => {
  const answer = await httpSetting(fakePlatform()).call('/metrics')
  expect(toldIn(await answer.text())).toEqual(withoutLabels(registeredMetrics()['Ticket service']))
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
