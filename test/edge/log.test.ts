import { expect, inject, onTestFinished, test } from 'vitest'
import { eventually } from '../wait.ts'
import { startEdge } from './edge.ts'

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
