/** New keys for a farm: one key only, and with an overlap in which the old key still works. */

import { evictDurableObject, reset, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { createHash } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import { eventually } from '../../wait.ts'
import { ask, create, fleetKey, type Keys, openFarm, openLink, socket } from './fleet.ts'

afterEach(reset)

const rotate = async (query: string): Promise<Partial<Keys> & { oldKeysEndAt?: string }> =>
  (await ask('PUT', `/farms/clover?${query}`, fleetKey)).json()
const clover = () => env.FARM.getByName('farm/clover')
/** Reads the answer to its end: an object that still sends cannot be evicted. */
const isRefused = async (path: string, key: string) => {
  const answer = await ask('GET', `/farms/clover${path}`, key)
  await answer.text()
  return answer.status === 401
}
/** Whether a key of clients opens the farm, and one of its machine; the object answers both without the farm. */
const opens = async ({ apiKey, linkKey }: Keys) => [
  !(await isRefused('/metrics', apiKey)),
  !(await isRefused('/link', linkKey)),
]

async function openClient(token: string) {
  const client = await socket('/farms/clover/ws')
  client.ws.send(JSON.stringify({ type: 'auth', payload: { token } }))
  await eventually(() => expect(client.heard).toHaveLength(1))
  return client
}
const expectOpen = async ({ ws, heard }: Awaited<ReturnType<typeof socket>>) => {
  const before = heard.length
  ws.send(JSON.stringify({ type: 'ping' }))
  await eventually(() => expect(heard.slice(before)).toContain('{"type":"pong"}'))
}

/** Ends the overlap while the object hibernates. */
async function overlapEnds() {
  await runInDurableObject(clover(), (_, ctx) =>
    ctx.storage.sql.exec("UPDATE facts SET at = 1 WHERE name LIKE '%KeyBefore%'").toArray(),
  )
  await evictDurableObject(clover())
}

test('rotate=api replaces only the key of clients: the link stays open, clients of the old key are closed at once', async () => {
  const old = await create('clover')
  const { origin, client } = await openFarm('clover', old)
  const fresh = await rotate('rotate=api')
  expect(Object.keys(fresh)).toEqual(['farm', 'apiKey'])
  expect(await client.closed).toBe(1008)
  await expectOpen(origin)
  expect(await opens(old)).toEqual([false, true])
  expect(await opens({ ...old, ...fresh })).toEqual([true, true])
})

test('rotate=link replaces only the key of the link: clients stay connected, the link of the old key is closed at once', async () => {
  const old = await create('clover')
  const { origin, client } = await openFarm('clover', old)
  const fresh = await rotate('rotate=link')
  expect(Object.keys(fresh)).toEqual(['farm', 'linkKey'])
  expect(await origin.closed).toBe(4401)
  await expectOpen(client)
  expect(await opens(old)).toEqual([true, false])
  expect(await opens({ ...old, ...fresh })).toEqual([true, true])
})

describe('the named keys that the farm has sent', () => {
  const key = 'fg_abc_secret'
  const read = async () => {
    const answer = await ask('GET', '/farms/clover/settings', key)
    await answer.text()
    return answer.status
  }
  /** Links the farm, which sends its named key. */
  const linkWithNamed = async (keys: Keys) => {
    const { ws } = await openLink('clover', keys)
    const digest = createHash('sha256').update(key).digest('hex')
    ws.send(JSON.stringify({ type: 'keys', keys: [{ id: 'abc', name: 'bot', scopes: ['chat'], digest }] }))
    await eventually(async () => expect(await read()).toBe(403))
  }

  test.each([
    ['rotate=link', 401],
    ['rotate=all', 401],
    ['rotate=api', 403],
  ])(
    'PUT ?%s: they are forgotten when the link key ends at once, until the farm links with the new one',
    async (query, status) => {
      const old = await create('clover')
      await linkWithNamed(old)
      const fresh = { ...old, ...(await rotate(query)) }
      expect(await read()).toBe(status)
      await linkWithNamed(fresh)
    },
  )

  test('are forgotten when the overlap of their link key ends', async () => {
    await linkWithNamed(await create('clover'))
    await rotate('rotate=link&overlapMinutes=60')
    expect(await read()).toBe(403)
    await overlapEnds()
    expect(await read()).toBe(401)
  })

  test('are forgotten with the farm', async () => {
    await linkWithNamed(await create('clover'))
    await ask('DELETE', '/farms/clover', fleetKey)
    await create('clover')
    expect(await read()).toBe(401)
  })
})

test('with an overlap the old keys work until it ends, and then the sockets that used them are closed', async () => {
  const old = await create('clover')
  const { origin, client } = await openFarm('clover', old)
  const asked = Date.now()
  const { oldKeysEndAt = '', ...fresh } = await rotate('rotate=all&overlapMinutes=60')
  expect(Math.abs(Date.parse(oldKeysEndAt) - asked - 3_600_000)).toBeLessThan(60_000)
  const keys = { ...old, ...fresh }
  expect([await opens(old), await opens(keys)]).toEqual([
    [true, true],
    [true, true],
  ])
  await expectOpen(origin)
  await expectOpen(client)
  const newcomer = await openClient(keys.apiKey)
  await overlapEnds()
  expect(await runDurableObjectAlarm(clover())).toBe(true)
  expect([await origin.closed, await client.closed]).toEqual([4401, 1008])
  await expectOpen(newcomer)
  expect([await opens(old), await opens(keys)]).toEqual([
    [false, false],
    [true, true],
  ])
})

test('an old key whose overlap has ended is refused, even before the alarm has run', async () => {
  const old = await create('clover')
  await rotate('rotate=api&overlapMinutes=10080')
  expect(await opens(old)).toEqual([true, true])
  await overlapEnds()
  expect(await opens(old)).toEqual([false, true])
})

test('each replaced key works until its oldKeysEndAt, also when a rotation is repeated, and without an overlap all end', async () => {
  const first = await create('clover')
  const second = { ...first, ...(await rotate('rotate=api&overlapMinutes=60')) }
  const third = { ...first, ...(await rotate('rotate=api&overlapMinutes=120')) }
  const open = async () => {
    const opened = [await opens(first), await opens(second), await opens(third)]
    return opened.map(([api]) => api)
  }
  expect(await open()).toEqual([true, true, true])
  await runInDurableObject(clover(), (_, ctx) =>
    ctx.storage.sql.exec("UPDATE facts SET at = at - 5400000 WHERE name LIKE 'apiKeyBefore%'").toArray(),
  )
  await evictDurableObject(clover())
  expect(await open()).toEqual([false, true, true])
  await rotate('rotate=api&overlapMinutes=0')
  expect(await open()).toEqual([false, false, false])
})

test('ten replaced keys can be valid at once: another rotation with an overlap is 429 and changes nothing, one without is made', async () => {
  let newest = await create('clover')
  for (let count = 0; count < 10; count += 1)
    newest = { ...newest, ...(await rotate('rotate=api&overlapMinutes=60')) }
  for (const which of ['api', 'all']) {
    const refused = await ask('PUT', `/farms/clover?rotate=${which}&overlapMinutes=60`, fleetKey)
    expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toEqual([
      429,
      expect.any(String),
      expect.objectContaining({ code: 'rate_limited', error: expect.stringContaining('overlapMinutes') }),
    ])
    expect(await opens(newest)).toEqual([true, true])
  }
  await rotate('rotate=link&overlapMinutes=60')
  const last = { ...newest, ...(await rotate('rotate=api')) }
  expect([await opens(newest), await opens(last)]).toEqual([
    [false, true],
    [true, true],
  ])
  await rotate('rotate=api&overlapMinutes=60')
})

test('keys are stored only as digests, replaced ones too', async () => {
  await create('clover')
  await rotate('rotate=all&overlapMinutes=60')
  const stored = await runInDurableObject(clover(), (_, ctx) =>
    ctx.storage.sql.exec('SELECT name, value, length(digest) AS bytes FROM facts ORDER BY name').toArray(),
  )
  const names = ['apiKey', /^apiKeyBefore/, 'linkKey', /^linkKeyBefore/]
  expect(stored).toEqual(names.map((name) => ({ name: expect.stringMatching(name), value: null, bytes: 32 })))
})

test.each(['rotate=api', 'rotate=all&overlapMinutes=60'])(
  'PUT with %s of an unknown farm is 404 and creates none',
  async (query) => {
    expect((await ask('PUT', `/farms/clover?${query}`, fleetKey)).status).toBe(404)
    expect(await (await ask('GET', '/farms', fleetKey)).json()).toEqual({ farms: [] })
  },
)
