/** The metrics of the edge, as Prometheus reads them from the Worker. */
import { expect, inject, onTestFinished, test } from 'vitest'
import { suiteKey } from '../contract/server-under-test.ts'
import { holding } from '../project/alert-rules.ts'
import { registeredMetrics, shownIn } from '../project/registered-metrics.ts'
import { samplesIn } from '../runtime/node/scrape.ts'
import { eventually } from '../wait.ts'
import { startEdge } from './edge.ts'
import { linkKey } from './edge-server.ts'
import { diallingFarm } from './linked-farm.ts'

async function edge() {
  const running = await startEdge(inject('edgeBundle'), { API_KEY: suiteKey, LINK_KEY: linkKey })
  onTestFinished(() => running.stop())
  return {
    url: running.url,
    async metrics() {
      const answer = await fetch(`${running.url}/metrics`, {
        headers: { Authorization: `Bearer ${suiteKey}` },
      })
      expect(answer.status).toBe(200)
      return answer.text()
    },
  }
}

test('the edge shows every registered metric with its meaning', async () => {
  const { metrics } = await edge()
  const { 'farm and edge': shared, edge: own } = registeredMetrics()
  const listed = [...shared, ...own].map(({ name, help, type }) => ({ name, help, type }))
  expect(shownIn(await metrics())).toEqual(listed.sort((one, other) => (one.name < other.name ? -1 : 1)))
})

test('FarmgateFarmAway at the edge: the link of the farm is lost', async () => {
  const { url, metrics } = await edge()
  const firing = async () => {
    const after = [...samplesIn(await metrics()), { name: 'up', labels: { job: 'farmgate' }, value: 1 }]
    return holding({ now: after, ago: () => after })
  }
  const { link } = diallingFarm(url, linkKey)
  await eventually(async () => expect(await firing()).toEqual([]))
  await link.close()
  await eventually(async () => expect(await firing()).toEqual(['FarmgateFarmAway']))
})

const apiKey = 'bG9nIGtleSB0aGF0IGlzIDMyIGJ5dGVzIGxvbmc='
const fleetKey = 'ZmxlZXQga2V5IG9mIHRoZSBsb2cgdGVzdHMgaGVyZQ=='

test('lines of the log name the farm: by its name in the fleet, and default at the root paths', async () => {
  const lines: unknown[] = []
  const edge = await startEdge(
    inject('edgeBundle'),
    { API_KEY: apiKey, FLEET_KEY: fleetKey, LOG_LEVEL: 'info' },
    (line) => lines.push(JSON.parse(line)),
  )
  onTestFinished(() => edge.stop())
  const ask = (method: string, path: string, key: string) =>
    fetch(`${edge.url}${path}`, { method, headers: { Authorization: `Bearer ${key}` } })
  const { apiKey: cloverKey } = (await (await ask('PUT', '/farms/clover', fleetKey)).json()) as {
    apiKey: string
  }
  for (const [path, key, farm] of [
    ['/farms/clover/players', cloverKey, 'clover'],
    ['/players', apiKey, 'default'],
  ] as const) {
    await ask('GET', path, key)
    await eventually(() =>
      expect(lines).toContainEqual(
        expect.objectContaining({ level: 'warn', farm, msg: 'request', path: '/players', status: 503 }),
      ),
    )
  }
})
