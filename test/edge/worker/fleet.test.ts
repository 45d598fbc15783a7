/** Many farms behind one address (docs/edge.md). */

import { reset, runInDurableObject } from 'cloudflare:test'
import { env, exports } from 'cloudflare:workers'
import * as v from 'valibot'
import { afterEach, expect, test, vi } from 'vitest'
import { beginAction } from '../../../handlers/endpoints/begin-action.ts'
import { deleteFarm } from '../../../handlers/endpoints/delete-farm.ts'
import { farmTargets } from '../../../handlers/endpoints/farm-targets.ts'
import { farms } from '../../../handlers/endpoints/farms.ts'
import { farmsAction } from '../../../handlers/endpoints/farms-action.ts'
import { noteFarm } from '../../../handlers/endpoints/note-farm.ts'
import { putFarm } from '../../../handlers/endpoints/put-farm.ts'
import { ask, create, fleetKey, type Keys, openFarm } from './fleet.ts'
import { apiKey } from './origin.ts'

afterEach(reset)
afterEach(() => void vi.useRealTimers())

test('PUT creates a farm: 201 with its keys, which are shown only once', async () => {
  const response = await ask('PUT', '/farms/clover', fleetKey)
  expect(response.status).toBe(201)
  expect(response.headers.get('cache-control')).toBe('no-store')
  const { farm, apiKey, linkKey } = await response.json<Keys & { farm: string }>()
  expect(farm).toBe('clover')
  for (const key of [apiKey, linkKey]) expect(key).toMatch(/^[\w-]{43}$/)
  const list = await (await ask('GET', '/farms', fleetKey)).text()
  expect(list).toContain('"clover"')
  expect(list).not.toContain(apiKey)
  expect(list).not.toContain(linkKey)
})

test('a farm serves under its own path, with its own key and its own game', async () => {
  const [clover, daisy] = [await create('clover'), await create('daisy')]
  await openFarm('clover', clover)
  await openFarm('daisy', daisy)
  for (const [farm, { apiKey }] of [
    ['clover', clover],
    ['daisy', daisy],
  ] as const)
    expect(await (await ask('GET', `/farms/${farm}/status`, apiKey)).json()).toMatchObject({ farmName: farm })
  expect((await ask('GET', '/farms/clover/players', daisy.apiKey)).status).toBe(401)
  expect((await ask('GET', '/farms/clover/players', apiKey)).status).toBe(401)
  expect((await ask('GET', '/farms/clover/docs')).status).toBe(200)
  expect((await ask('GET', '/farms/clover/docs/swagger-ui.css')).status).toBe(200)
})

test('PUT of an existing farm is 200 and changes nothing', async () => {
  const keys = await create('clover')
  const { origin, client } = await openFarm('clover', keys)
  const again = await ask('PUT', '/farms/clover', fleetKey)
  expect([again.status, await again.json()]).toEqual([200, { farm: 'clover', created: false }])
  expect((await ask('GET', '/farms/clover/players', keys.apiKey)).status).not.toBe(401)
  expect([origin.ws.readyState, client.ws.readyState]).toEqual([WebSocket.OPEN, WebSocket.OPEN])
})

test.each([
  ['PUT', '/farms/clover?rotat=api', 'rotat'],
  ['PUT', '/farms/clover?overlap=60', 'overlap'],
  ['PUT', '/farms/clover?rotate=api&overlap=60', 'overlap'],
  ['PUT', '/farms/clover?overlapMinutes=60', 'overlapMinutes'],
  ['DELETE', '/farms/clover?dryRun=true', 'dryrun'],
  ['GET', '/farms?farm=clover', 'farm'],
  ['GET', '/farms/targets?farm=clover', 'farm'],
  ['PUT', '/farms/clover?rotate=api&rotate=link', 'rotate'],
  ['PUT', '/farms/clover?rotate=api&overlapMinutes=-1', 'overlapMinutes'],
  ['PUT', '/farms/clover?rotate=api&overlapMinutes=10081', 'overlapMinutes'],
])('%s %s is 400 with the parameter at fault, and changes nothing', async (method, path, parameter) => {
  const keys = await create('clover')
  const answer = await ask(method, path, fleetKey)
  expect([answer.status, await answer.json()]).toEqual([
    400,
    expect.objectContaining({ code: 'invalid_parameter', parameter }),
  ])
  expect((await ask('GET', '/farms/clover/players', keys.apiKey)).status).toBe(503)
  expect((await ask('GET', '/farms/clover/link', keys.linkKey)).status).toBe(426)
})

test('GET /farms/targets lists the farms as Prometheus discovers targets, and each can be read with the fleet key', async () => {
  for (const farm of ['clover', 'daisy']) await create(farm)
  const answer = await ask('GET', '/farms/targets', fleetKey)
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
  const targets = await answer.json<{ labels: Record<string, string> }[]>()
  expect(targets).toEqual(
    ['clover', 'daisy'].map((farm) => ({
      targets: ['edge.example'],
      labels: { __metrics_path__: `/farms/${farm}/metrics`, farm },
    })),
  )
  for (const { labels } of targets) {
    const metrics: string = await (await ask('GET', labels['__metrics_path__'] ?? '', fleetKey)).text()
    const series = metrics.split('\n').filter((line) => /^\w/.test(line))
    expect(series.length).toBeGreaterThan(5)
    expect(series.filter((line) => !line.includes(`farm="${labels['farm']}"`))).toEqual([])
  }
})

test('the fleet key reads the metrics of an existing farm and nothing else of it', async () => {
  await create('clover')
  const status = async (method: string, path: string, headers = {}) =>
    (await ask(method, path, fleetKey, headers)).status
  expect(await status('GET', '/farms/clover/players')).toBe(401)
  expect(await status('GET', '/farms/nobody/metrics')).toBe(401)
  const forged = await ask('GET', '/farms/clover/metrics', undefined, { 'x-farmgate-fleet-key': 'true' })
  expect(forged.status).toBe(401)
})

test('DELETE removes a farm: its sockets are closed at once and its keys are refused', async () => {
  const keys = await create('clover')
  const { origin, client } = await openFarm('clover', keys)
  const response = await ask('DELETE', '/farms/clover', fleetKey)
  expect([response.status, await response.json()]).toEqual([200, { success: true }])
  expect([await origin.closed, await client.closed]).toEqual([4401, 1008])
  for (const path of ['/players', '/status', '/health', '/link', '/ws', '/nothing'])
    expect([path, (await ask('GET', `/farms/clover${path}`, keys.apiKey)).status]).toEqual([path, 401])
  expect(await (await ask('GET', '/farms', fleetKey)).json()).toEqual({ farms: [] })
  expect((await ask('DELETE', '/farms/clover', fleetKey)).status).toBe(404)
})

test('a farm that is created under the name of a deleted one has none of its data', async () => {
  await openFarm('clover', await create('clover'))
  await ask('DELETE', '/farms/clover', fleetKey)
  const { apiKey } = await create('clover')
  expect(await (await ask('GET', '/farms/clover/status', apiKey)).json()).toMatchObject({
    farmName: '',
    isOnline: false,
  })
})

test("a browser at a farm's address is redirected to its page, whose links are relative", async () => {
  const page = (path: string) =>
    exports.default.fetch(`https://edge.example${path}`, {
      headers: { Accept: 'text/html' },
      redirect: 'manual',
    })
  const bare = await page('/farms/clover')
  expect([bare.status, bare.headers.get('location')]).toEqual([308, 'clover/'])
  const front = await page('/farms/clover/')
  expect([front.status, await front.text()]).toEqual([200, expect.stringContaining('<a href="docs">')])
})

/** Everything of an answer: status, every header, body. */
const whole = async (answer: Response) => [answer.status, [...answer.headers].sort(), await answer.text()]

test('an unknown farm is answered like a wrong or missing key of a known one, in every header, and nothing is stored', async () => {
  await openFarm('clover', await create('clover'))
  vi.useFakeTimers({ toFake: ['Date'] })
  // OpenAPI names the address of the request.
  const answered = async (farm: string, method: string, path: string, headers: Record<string, string>) =>
    JSON.stringify(
      await whole(
        await ask(method, `/farms/${farm}${path}`, undefined, { 'X-Request-Id': 'one', ...headers }),
      ),
    ).replaceAll(`/farms/${farm}`, '/farms/a')
  const wrong = { Authorization: 'Bearer some key' }
  const paths = ['/players', '/settings', '/time?value=1200', '/farmhands?name=Abby', '/newgame', '/metrics']
  for (const path of [
    ...paths,
    '/link',
    '/nothing',
    '/',
    '//',
    '/docs',
    '/openapi.json',
    '/docs/swagger-ui.css',
  ])
    for (const method of ['GET', 'HEAD', 'POST', 'DELETE', 'PATCH', 'OPTIONS'])
      for (const headers of [{}, wrong, { ...wrong, Origin: 'https://foreign.example' }])
        expect([method, path, await answered('nobody', method, path, headers)]).toEqual([
          method,
          path,
          await answered('clover', method, path, headers),
        ])
  const tables = await runInDurableObject(env.FARM.getByName('farm/nobody'), (_, ctx) =>
    ctx.storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_%' ESCAPE '\\'").toArray(),
  )
  expect(tables).toEqual([])
})

test('public paths and handshakes of an unknown farm are 401 like all its other paths, and its link is refused as that of a known farm', async () => {
  await create('clover')
  const answered = async (farm: string, path: string, headers: Record<string, string> = {}) => {
    const answer = await ask('GET', `/farms/${farm}${path}`, undefined, headers)
    return [answer.status, await answer.json()]
  }
  const refusal = await answered('nobody', '/players')
  expect(refusal).toMatchObject([401, { code: 'unauthorized' }])
  for (const headers of [{}, { Upgrade: 'websocket' }]) {
    for (const path of ['/status', '/health', '/ready', '/ws', '/wait/health'])
      expect([path, await answered('nobody', path, headers)]).toEqual([path, refusal])
    // Its sentence names the link key, for a known farm or not.
    const link = await answered('nobody', '/link', headers)
    expect(link).toMatchObject([401, { code: 'unauthorized' }])
    expect(link).toEqual(await answered('clover', '/link', headers))
  }
})

test.each(['Clover', '-clover', 'a_b', 'ä', 'a'.repeat(64), '%63lover', ''])(
  'the invalid farm name %j is 400',
  async (name) => {
    for (const method of ['PUT', 'GET', 'DELETE']) {
      const response = await ask(method, `/farms/${name}/`, fleetKey)
      const expected = name === '' ? [400, 404, 405] : [400]
      expect(expected).toContain(response.status)
    }
  },
)

test('without the fleet key each call of the fleet is 401, and does not reveal which farms exist', async () => {
  const { apiKey } = await create('clover')
  for (const [method, path] of [
    ['GET', '/farms'],
    ['PUT', '/farms/clover'],
    ['PATCH', '/farms/clover'],
    ['DELETE', '/farms/clover'],
    ['DELETE', '/farms/nobody'],
    ['POST', '/farms/actions'],
    ['GET', '/farms/actions?id=x'],
    ['GET', '/farms/actions'],
    ['GET', '/farms/targets'],
    ['POST', '/farms/clover/dashboard-link'],
  ] as const) {
    const statusWith = async (key?: string) => [method, path, (await ask(method, path, key)).status]
    expect(await statusWith()).toEqual([method, path, 401])
    // Wrong keys are limited.
    for (const key of ['wrong', apiKey])
      expect(await statusWith(key)).toEqual([method, path, expect.toBeOneOf([401, 429])])
  }
  expect((await ask('POST', '/farms', fleetKey)).status).toBe(405)
})

test('internal headers that a client sends are dropped, and its address comes from the platform', async () => {
  const { apiKey } = await create('clover')
  const wrong = (address: string) =>
    ask('GET', '/farms/clover/players', 'wrong', {
      'X-Farmgate-Address': address,
      'CF-Connecting-IP': '203.0.113.7',
    })
  const statuses: number[] = []
  for (let count = 0; count < 12; count += 1) statuses.push((await wrong(`198.51.100.${count}`)).status)
  expect(statuses.slice(0, 10)).toEqual(Array(10).fill(401))
  expect(statuses.slice(10)).toEqual([429, 429])
  expect((await ask('GET', '/farms/clover/players', apiKey)).status).toBe(503)
})

test('without the shell of an own edge, no answer says whose key was sent, also to a client that asks for it', async () => {
  const { apiKey } = await create('clover')
  for (const [path, key] of [
    ['/farms/clover/players', apiKey],
    ['/farms', fleetKey],
  ] as const) {
    const answer = await ask('GET', path, key, { 'X-Farmgate-Key-Of': '?' })
    expect([
      path,
      answer.status,
      [...answer.headers.keys()].filter((name) => name.startsWith('x-farmgate')),
    ]).toEqual([path, expect.toBeOneOf([200, 503]), []])
  }
})

test('each answer of the fleet matches the description of its endpoint', async () => {
  const calls = [
    ['PUT', '', putFarm, 201],
    ['PUT', '', putFarm, 200],
    ['PUT', '?rotate=all&overlapMinutes=5', putFarm, 200],
    ['PUT', '?rotate=api', putFarm, 200],
    ['GET', '', farms, 200],
    ['PATCH', '', noteFarm, 200, { tags: ['eu'], note: 'x' }],
    ['POST', '', beginAction, 202, { action: 'backup', farms: ['none'] }],
    ['GET', '', farmsAction, 200],
    ['GET', '', farmTargets, 200],
    ['DELETE', '', deleteFarm, 200],
  ] as const
  for (const [method, query, { operationId, path, result }, status, body] of calls) {
    const url = `${path.replace('{farm}', 'described')}${query}`
    const answer = await ask(method, url, fleetKey, { 'Content-Type': 'application/json' }, body)
    const json = await answer.json()
    expect([operationId, answer.status, v.parse<v.GenericSchema>(result, json)]).toEqual([
      operationId,
      status,
      json,
    ])
  }
})
