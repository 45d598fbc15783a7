/** Creating and revoking farms at the same time, and when one of the two objects fails halfway. */
import { reset, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import * as v from 'valibot'
import { afterEach, expect, test, vi } from 'vitest'
import { fleetEndpoints } from '../../../handlers/endpoints/fleet-endpoints.ts'
import { askedAtHeader } from '../../../runtime/edge/caller.ts'
import type { FarmObject } from '../../../runtime/edge/farm-object.ts'
import type { FleetObject } from '../../../runtime/edge/fleet-object.ts'
import { eventually } from '../../wait.ts'
import { ask, create, fleetKey, type Keys, openLink } from './fleet.ts'

afterEach(reset)
afterEach(() => vi.restoreAllMocks())
afterEach(() => void vi.useRealTimers())

const list = v.object({ farms: v.array(v.object({ farm: v.string() })) })
const listed = async (): Promise<readonly string[]> => {
  const { farms } = v.parse(list, await (await ask('GET', '/farms', fleetKey)).json())
  return farms.map(({ farm }) => farm)
}
const fleet = () => env.FLEET.getByName('fleet')
/** A farm that was never linked answers 503. */
const works = async (farm: string) => (await ask('GET', `/farms/${farm}/status`)).status === 503

/** Lets the object of the farm fail once, before or after it carries out a call. */
async function failOnce(farm: string, when: 'before' | 'after') {
  await runInDurableObject(env.FARM.getByName(`farm/${farm}`), (object: FarmObject) => {
    const kind: FarmObject = Object.getPrototypeOf(object)
    const own = kind.change
    vi.spyOn(kind, 'change').mockImplementationOnce(async function (this: FarmObject, ...args: unknown[]) {
      if (when === 'after') await Reflect.apply(own, this, args)
      throw new Error('failed by a test')
    })
  })
}

test('a listed farm works and an unlisted one does not, for any order of PUT and DELETE of one name', async () => {
  const names = Array.from({ length: 20 }, (_, index) => `farm-${index}`)
  await Promise.all(
    names.flatMap((farm, index) => {
      const [first, second] = index % 2 === 0 ? (['PUT', 'DELETE'] as const) : (['DELETE', 'PUT'] as const)
      return [first, second, first, second].map((method) => ask(method, `/farms/${farm}`, fleetKey))
    }),
  )
  const there = new Set(await listed())
  for (const farm of names) expect([farm, await works(farm)]).toEqual([farm, there.has(farm)])
})

/**
 * Holds the creation of the next farm, before it takes its keys. Both sides poll: workerd does not like a promise of
 * one object resolved by another. @returns resumes it, and waits for its end
 */
async function holdCreate(farm: string): Promise<() => Promise<unknown>> {
  let mayGoOn = false
  let isDone = false
  await runInDurableObject(env.FARM.getByName(`farm/${farm}`), (object: FarmObject) => {
    const kind: FarmObject = Object.getPrototypeOf(object)
    const own = kind.change
    vi.spyOn(kind, 'change').mockImplementationOnce(async function (this: FarmObject, ...args) {
      await eventually(() => mayGoOn)
      await Reflect.apply(own, this, args)
      isDone = true
    })
  })
  return () => {
    mayGoOn = true
    return eventually(() => isDone)
  }
}

test('a DELETE that was asked for before a PUT was made is answered 503 and not carried out, and repeated it is', async () => {
  const goOn = await holdCreate('clover')
  const put = ask('PUT', '/farms/clover', fleetKey)
  const end = ask('DELETE', '/farms/clover', fleetKey)
  for (let count = 0; count < 20; count += 1) await listed()
  await goOn()
  expect([(await put).status, (await end).status]).toEqual([201, 503])
  expect([await listed(), await works('clover')]).toEqual([['clover'], true])
  expect((await ask('DELETE', '/farms/clover', fleetKey)).status).toBe(200)
  expect([await listed(), await works('clover')]).toEqual([[], false])
})

test('a farm whose fleet object ends while the farm is being created is removed a little later', async () => {
  const goOn = await holdCreate('clover')
  const put = ask('PUT', '/farms/clover', fleetKey)
  await eventually(async () =>
    expect(await runInDurableObject(fleet(), (_, ctx) => ctx.storage.getAlarm())).not.toBeNull(),
  )
  await runInDurableObject(fleet(), (_, ctx) => ctx.abort('ended by a test')).catch(() => undefined)
  await goOn()
  expect((await put).status).toBe(503)
  expect(await runDurableObjectAlarm(fleet())).toBe(true)
  expect([await listed(), await works('clover')]).toEqual([[], false])
})

test('of simultaneous PUTs of one name one creates the farm, and its keys work', async () => {
  const answers = await Promise.all([create('clover'), create('clover'), create('clover')])
  expect(answers.filter(({ apiKey }) => apiKey !== undefined)).toHaveLength(1)
})

test('after simultaneous rotations of one farm both keys of the last one work', async () => {
  await create('clover')
  const rotate = async (): Promise<Keys> => (await ask('PUT', '/farms/clover?rotate=all', fleetKey)).json()
  const answers = await Promise.all([rotate(), rotate(), rotate()])
  const opens = await Promise.all(
    answers.map(async ({ apiKey, linkKey }) => [
      (await ask('GET', '/farms/clover/players', apiKey)).status,
      (await ask('GET', '/farms/clover/link', linkKey)).status,
    ]),
  )
  expect(opens.sort()).toEqual([
    [401, 401],
    [401, 401],
    [503, 426],
  ])
})

test.each(['before', 'after'] as const)(
  'a farm whose object fails %s it has stored its keys is not listed and accepts no key',
  async (when) => {
    await failOnce('clover', when)
    expect((await ask('PUT', '/farms/clover', fleetKey)).status).toBe(503)
    expect([await listed(), await works('clover')]).toEqual([[], false])
    expect((await ask('PUT', '/farms/clover', fleetKey)).status).toBe(201)
    expect([await listed(), await works('clover')]).toEqual([['clover'], true])
  },
)

test.each(['before', 'after'] as const)(
  'a farm whose object fails %s its keys are revoked is deleted a little later, and listed until then',
  async (when) => {
    await create('clover')
    await failOnce('clover', when)
    expect((await ask('DELETE', '/farms/clover', fleetKey)).status).toBe(503)
    expect(await listed()).toEqual(['clover'])
    expect(await runDurableObjectAlarm(fleet())).toBe(true)
    expect([await listed(), await works('clover')]).toEqual([[], false])
    expect(await runDurableObjectAlarm(fleet())).toBe(false)
  },
)

test('a farm that could neither be created nor removed is replaced by the next PUT, or removed by an alarm', async () => {
  for (const again of ['PUT', 'alarm'] as const) {
    vi.restoreAllMocks()
    await failOnce('clover', 'after')
    await failOnce('clover', 'before')
    expect((await ask('PUT', '/farms/clover', fleetKey)).status).toBe(503)
    expect(await listed()).toEqual([])
    if (again === 'PUT') {
      expect((await ask('PUT', '/farms/clover', fleetKey)).status).toBe(201)
      expect((await ask('DELETE', '/farms/clover', fleetKey)).status).toBe(200)
    } else expect(await runDurableObjectAlarm(fleet())).toBe(true)
    expect([await listed(), await works('clover')]).toEqual([[], false])
  }
})

test('retries are not put off by later requests, and a farm that hangs does not hold up the others', async () => {
  const unfinished = () =>
    runInDurableObject(fleet(), (_object, { storage: { sql } }) =>
      sql
        .exec('SELECT farm FROM unfinished')
        .toArray()
        .map(({ farm }) => farm),
    )
  const alarm = () => runInDurableObject(fleet(), (_object, { storage }) => storage.getAlarm())
  for (const farm of ['a', 'b']) {
    await create(farm)
    await failOnce(farm, 'before')
    expect((await ask('DELETE', `/farms/${farm}`, fleetKey)).status).toBe(503)
  }
  const first = await alarm()
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 5000 })
  await create('c')
  expect(await alarm()).toBe(first)

  let mayGoOn = false
  await runInDurableObject(env.FARM.getByName('farm/a'), (object: FarmObject) => {
    const kind: FarmObject = Object.getPrototypeOf(object)
    const own = kind.change
    vi.spyOn(kind, 'change').mockImplementationOnce(async function (this: FarmObject, ...args) {
      await eventually(() => mayGoOn)
      await Reflect.apply(own, this, args)
    })
  })
  const ran = runDurableObjectAlarm(fleet())
  await eventually(async () => expect(await unfinished()).toEqual(['a']))
  expect(await alarm()).toBeGreaterThan(Date.now())
  mayGoOn = true
  await ran
  expect([await unfinished(), await listed()]).toEqual([[], ['c']])
})

/** The next change arrives at the fleet's object as if it had been asked for so many milliseconds before. */
async function delayNext(ms: number) {
  await runInDurableObject(fleet(), (object: FleetObject) => {
    const kind: FleetObject = Object.getPrototypeOf(object)
    const own = kind.change
    vi.spyOn(kind, 'change').mockImplementationOnce(function (this: FleetObject, wish) {
      const asked = { ...wish.asked, at: wish.asked.at - ms }
      return own.call(this, Object.assign(wish, { asked }))
    })
  })
}

test('a DELETE that comes too late at the object of the farm is answered 503, and nothing deletes the farm later', async () => {
  await create('clover')
  await runInDurableObject(env.FARM.getByName('farm/clover'), (object: FarmObject) => {
    const kind: FarmObject = Object.getPrototypeOf(object)
    const own = kind.change
    vi.spyOn(kind, 'change').mockImplementationOnce(function (this: FarmObject, wish, at) {
      return own.call(this, wish, at - 9001)
    })
  })
  expect((await ask('DELETE', '/farms/clover', fleetKey)).status).toBe(503)
  expect(await runDurableObjectAlarm(fleet())).toBe(false)
  expect([await listed(), await works('clover')]).toEqual([['clover'], true])
})

test('a POST whose answer from the fleet object is lost is 504: whether it has begun is unknown', async () => {
  await create('clover')
  await runInDurableObject(fleet(), (object: FleetObject) => {
    const kind: FleetObject = Object.getPrototypeOf(object)
    const own = kind.change
    vi.spyOn(kind, 'change').mockImplementationOnce(async function (this: FleetObject, wish) {
      await own.call(this, wish)
      throw new Error('lost by a test')
    })
  })
  const answer = await ask('POST', '/farms/actions', fleetKey, json, bodies.POST)
  expect([answer.status, await answer.json()]).toEqual([
    504,
    expect.objectContaining({ code: 'game_timeout', error: expect.stringContaining('unknown') }),
  ])
})

test('a call that the fleet makes of a farm is refused when it comes more than 9 s late, and the farm is not asked', async () => {
  const { heard } = await openLink('clover', await create('clover'))
  await runInDurableObject(env.FARM.getByName('farm/clover'), (object: FarmObject) => {
    const kind: FarmObject = Object.getPrototypeOf(object)
    const own = kind.fetch
    vi.spyOn(kind, 'fetch').mockImplementationOnce(function (this: FarmObject, request) {
      const headers = new Headers(request.headers)
      headers.set(askedAtHeader, String(Number(headers.get(askedAtHeader)) - 9001))
      return own.call(this, new Request(request, { headers }))
    })
  })
  const answer = await ask('POST', '/farms/clover/dashboard-link', fleetKey)
  expect([answer.status, await answer.json()]).toEqual([
    503,
    expect.objectContaining({ error: expect.stringContaining('not carried out') }),
  ])
  expect(heard.join()).not.toContain('createKey')
})

test('each object has one way to any change, which refuses one that comes too late', async () => {
  const callsOf = <T extends FarmObject | FleetObject>(stub: DurableObjectStub<T>) =>
    runInDurableObject(stub, (object) => Object.getOwnPropertyNames(Object.getPrototypeOf(object)).sort())
  const ofPlatform = ['alarm', 'constructor']
  const ofSockets = ['webSocketClose', 'webSocketError', 'webSocketMessage']
  expect(await callsOf(env.FARM.getByName('farm/clover'))).toEqual(
    ['alive', 'change', 'fetch', ...ofPlatform, ...ofSockets].sort(),
  )
  // `report` stores what a newer report replaces.
  expect(await callsOf(fleet())).toEqual(
    ['action', 'actions', 'change', 'discordFarm', 'entry', 'list', 'report', ...ofPlatform].sort(),
  )
})

test("the binding of a Discord server that comes late, or was made before its farm's keys were changed, is not carried out", async () => {
  await create('clover')
  const bind = (ms: number) =>
    runInDurableObject(fleet(), async (object: FleetObject) => {
      const asked = { at: Date.now() - ms }
      await object
        .change({ what: 'bindDiscord', serverId: '1', object: 'farm/clover', asked })
        .catch(() => undefined)
      return object.discordFarm('1')
    })
  expect([await bind(9001), await bind(5000)]).toEqual([undefined, undefined])
  expect(await bind(0)).toBe('farm/clover')
})

const changes = fleetEndpoints.filter(({ method, path }) => method !== 'GET' && !path.endsWith('link'))
const bodies = { PATCH: { note: 'late' }, POST: { action: 'backup', farms: ['clover'] } }
const json = { 'Content-Type': 'application/json' }

test.each(changes)(
  '$method $path that arrives more than 9 s late is answered 503 and not carried out, and repeated it is',
  async ({ method, path }) => {
    if (method !== 'PUT') await create('clover')
    const before = await (await ask('GET', '/farms', fleetKey)).json()
    const body = method === 'PATCH' || method === 'POST' ? bodies[method] : undefined
    const change = () => ask(method, path.replace('{farm}', 'clover'), fleetKey, json, body)
    await delayNext(9001)
    const late = await change()
    expect([late.status, late.headers.get('retry-after')]).toEqual([503, expect.any(String)])
    expect(await late.json()).toMatchObject({ error: expect.stringContaining('not carried out') })
    expect(await (await ask('GET', '/farms', fleetKey)).json()).toEqual(before)
    expect((await change()).status).toBeLessThan(300)
  },
)

test('a change that was asked for before the last change of the keys is answered 503: the acknowledged keys stay, also those of a deleted farm', async () => {
  await create('clover')
  const rotate = (overlap = '') => ask('PUT', `/farms/clover?rotate=all${overlap}`, fleetKey)
  const acknowledged: Keys = await (await rotate()).json()
  for (const change of [
    rotate,
    () => rotate('&overlapMinutes=5'),
    () => ask('DELETE', '/farms/clover', fleetKey),
  ]) {
    await delayNext(5000)
    expect((await change()).status).toBe(503)
    expect((await ask('GET', '/farms/clover/status', acknowledged.apiKey)).status).toBe(503)
    expect((await ask('GET', '/farms/clover/players', acknowledged.apiKey)).status).toBe(503)
  }
  expect((await ask('DELETE', '/farms/clover', fleetKey)).status).toBe(200)
  await delayNext(5000)
  expect((await ask('PUT', '/farms/clover', fleetKey)).status).toBe(503)
  expect(await listed()).toEqual([])
})
