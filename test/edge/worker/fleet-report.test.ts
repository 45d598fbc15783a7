/** The farms of `GET /farms`: the reports of the farms' objects to the fleet object. */
import { evictDurableObject, reset, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import * as v from 'valibot'
import { afterEach, expect, test, vi } from 'vitest'
import type { FleetObject } from '../../../runtime/edge/fleet-object.ts'
import { eventually } from '../../wait.ts'
import { ask, create, fleetKey, openFarm, openLink, statusEvent } from './fleet.ts'
import { openOrigin, status } from './origin.ts'

afterEach(reset)
afterEach(() => vi.restoreAllMocks())
afterEach(() => void vi.useRealTimers())

const entry = v.strictObject({
  farm: v.string(),
  createdAt: v.string(),
  linked: v.boolean(),
  trouble: v.array(v.string()),
  lastSeen: v.optional(v.pipe(v.string(), v.isoTimestamp())),
  players: v.optional(v.number()),
  maxPlayers: v.optional(v.number()),
  version: v.optional(v.string()),
  farmgateVersion: v.optional(v.string()),
  backupAgeHours: v.optional(v.number()),
  tokenDays: v.optional(v.number()),
  tags: v.array(v.string()),
  note: v.optional(v.string()),
})
const listed = async () => {
  const answer = await (await ask('GET', '/farms', fleetKey)).json()
  return v.parse(v.object({ farms: v.array(entry) }), answer).farms
}
const listedOne = async (name: string) => (await listed()).find(({ farm }) => farm === name)
const showsLinked = (isLinked: boolean) =>
  eventually(async () => expect((await listedOne('clover'))?.linked).toBe(isLinked))
const fleet = () => env.FLEET.getByName('fleet')
const clover = () => env.FARM.getByName('farm/clover')
const later = (milliseconds: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + milliseconds })
const alarmOf = (object: DurableObjectStub) => runInDurableObject(object, (_, ctx) => ctx.storage.getAlarm())

async function linkedClover() {
  const peers = await openFarm('clover', await create('clover'))
  await showsLinked(true)
  return peers
}

test('GET /farms shows for each farm whether it is linked, when it was last seen, its number of players, and its version', async () => {
  await create('daisy')
  const before = Date.now()
  await linkedClover()
  const [first, second] = await listed()
  expect(first).toEqual({
    farm: 'clover',
    createdAt: expect.any(String),
    linked: true,
    lastSeen: expect.any(String),
    players: 1,
    maxPlayers: 10,
    version: 'simulated-1.0.0',
    trouble: [],
    tags: [],
  })
  expect(Date.parse(first?.lastSeen ?? '')).toBeGreaterThanOrEqual(before)
  expect(second).toEqual({
    farm: 'daisy',
    createdAt: expect.any(String),
    linked: false,
    trouble: ['never_linked'],
    tags: [],
  })
})

test('a farm with a lost link is shown as not linked at once, without players, and with its last version', async () => {
  const { origin } = await linkedClover()
  origin.ws.close(1001, 'Farm is stopping')
  await showsLinked(false)
  expect(await listedOne('clover')).toMatchObject({ players: 0, version: 'simulated-1.0.0' })
})

test('GET /farms makes no request to a farm, so it wakes none', async () => {
  await linkedClover()
  await runInDurableObject(fleet(), (object: FleetObject) => {
    const refusing = new Proxy({}, { get: (_, name) => expect.fail(`the fleet object uses ${String(name)}`) })
    Object.defineProperty(object, 'env', { value: { FARM: refusing } })
  })
  expect((await listed()).map(({ farm, linked }) => [farm, linked])).toEqual([['clover', true]])
})

test('a change of the players is reported at most once a minute, and then by an alarm', async () => {
  const { origin } = await linkedClover()
  const report = await runInDurableObject(fleet(), (object: FleetObject) =>
    vi.spyOn(Object.getPrototypeOf(object), 'report'),
  )
  const joined = async (...counts: readonly number[]) => {
    for (const players of counts) origin.ws.send(statusEvent(players))
    await eventually(async () => {
      const shown = await ask('GET', '/farms/clover/status')
      expect(await shown.json()).toMatchObject({ playerCount: counts.at(-1) })
    })
  }
  await joined(2, 3)
  later(30_000)
  await joined(4)
  expect(report).not.toHaveBeenCalled()
  expect(await listedOne('clover')).toMatchObject({ players: 1 })
  later(30_000)
  expect(await runDurableObjectAlarm(clover())).toBe(true)
  await eventually(async () => expect(await listedOne('clover')).toMatchObject({ players: 4 }))
  expect(report).toHaveBeenCalledTimes(1)
})

test('a link that breaks all the time is reported four times at once, and then every ten seconds', async () => {
  const keys = await create('clover')
  const report = await runInDurableObject(fleet(), (object: FleetObject) =>
    vi.spyOn(Object.getPrototypeOf(object), 'report'),
  )
  const isLinked = (isIt: boolean) =>
    eventually(async () => {
      const { isOnline } = await (await ask('GET', '/farms/clover/status')).json<{ isOnline?: boolean }>()
      expect(isOnline === true).toBe(isIt)
    })
  later(0)
  for (let times = 0; times < 5; times += 1) {
    const { ws } = await openLink('clover', keys)
    await isLinked(true)
    ws.close(1001, 'Farm is stopping')
    await isLinked(false)
  }
  await openLink('clover', keys)
  await isLinked(true)
  expect(report).toHaveBeenCalledTimes(4)
  expect(await listedOne('clover')).toMatchObject({ linked: false })
  later(10_000)
  expect(await runDurableObjectAlarm(clover())).toBe(true)
  await showsLinked(true)
  expect(report).toHaveBeenCalledTimes(5)
})

test("a change is reported within a minute after the edge's clock was set back", async () => {
  const { origin } = await linkedClover()
  later(-6 * 3_600_000)
  origin.ws.send(statusEvent(4))
  await eventually(async () => {
    const shown = await ask('GET', '/farms/clover/status')
    expect(await shown.json()).toMatchObject({ playerCount: 4 })
  })
  later(60_000)
  expect(await runDurableObjectAlarm(clover())).toBe(true)
  await eventually(async () => expect(await listedOne('clover')).toMatchObject({ players: 4 }))
})

test('a farm with an impossible number of players does not spoil the totals', async () => {
  await openLink('clover', await create('clover'), true, undefined, 1e308)
  await showsLinked(true)
  expect(await listedOne('clover')).toMatchObject({ players: 1_000_000 })
})

test('a waking object does not repeat its last report', async () => {
  const { origin } = await linkedClover()
  const report = await runInDurableObject(fleet(), (object: FleetObject) =>
    vi.spyOn(Object.getPrototypeOf(object), 'report'),
  )
  await evictDurableObject(clover())
  origin.ws.send(statusEvent(1))
  origin.ws.send(
    JSON.stringify({ type: 'line', n: 1, playerName: 'A', message: 'hi', timestamp: status.lastUpdated }),
  )
  await eventually(() => expect(origin.heard.some((text) => text.includes('heard'))).toBe(true))
  expect(report).not.toHaveBeenCalled()
})

test("a failed report is sent again by an alarm, with the farm's state at that time", async () => {
  const keys = await create('clover')
  await runInDurableObject(fleet(), (object: FleetObject) =>
    vi.spyOn(Object.getPrototypeOf(object), 'report').mockRejectedValueOnce(new Error('failed by a test')),
  )
  const { origin } = await openFarm('clover', keys)
  await eventually(async () => expect(await alarmOf(clover())).toBeGreaterThan(Date.now()))
  origin.ws.send(statusEvent(5))
  expect(await listedOne('clover')).toMatchObject({ linked: false })
  later(20_000)
  expect(await runDurableObjectAlarm(clover())).toBe(true)
  await eventually(async () => expect(await listedOne('clover')).toMatchObject({ linked: true, players: 5 }))
})

test('a late older report does not replace a newer one', async () => {
  await create('clover')
  const report = (linked: boolean, players: number, at: number) =>
    runInDurableObject(fleet(), (object: FleetObject) =>
      object.report('clover', { linked, lastSeen: at, players, version: '1' }, at),
    )
  await report(true, 2, 2000)
  await report(false, 0, 1000)
  expect(await listedOne('clover')).toMatchObject({ linked: true, players: 2 })
  await report(false, 0, 3000)
  expect(await listedOne('clover')).toMatchObject({ linked: false, players: 0 })
})

test('the report of a deleted farm is deleted with it, and a pending one does not reach a new farm with its name', async () => {
  const { origin } = await linkedClover()
  let isHeld = false
  let mayGoOn = false
  await runInDurableObject(fleet(), (object: FleetObject) => {
    const kind: FleetObject = Object.getPrototypeOf(object)
    const own = kind.report
    vi.spyOn(kind, 'report').mockImplementationOnce(async function (this: FleetObject, ...args) {
      isHeld = true
      await eventually(() => mayGoOn)
      await Reflect.apply(own, this, args)
    })
  })
  origin.ws.close(1001, 'Farm is stopping')
  await eventually(() => isHeld)
  const end = ask('DELETE', '/farms/clover', fleetKey)
  mayGoOn = true
  expect((await end).status).toBe(200)
  expect((await ask('PUT', '/farms/clover', fleetKey)).status).toBe(201)
  expect(await listed()).toEqual([
    {
      farm: 'clover',
      createdAt: expect.any(String),
      linked: false,
      trouble: ['never_linked'],
      tags: [],
    },
  ])
})

test('a farm whose object ended with its sockets is shown as not linked after the next check of the link', async () => {
  await linkedClover()
  expect(await alarmOf(clover())).not.toBeNull()
  await runInDurableObject(clover(), (_, ctx) => ctx.abort('ended by a test')).catch(() => undefined)
  later(30 * 60_000)
  expect(await runDurableObjectAlarm(clover())).toBe(true)
  await showsLinked(false)
})

test('a linked farm without clients is checked every 30 minutes: a machine that lost its power is shown as linked for no longer', async () => {
  const keys = await create('clover')
  const origin = await openLink('clover', keys)
  await showsLinked(true)
  const alarm = await alarmOf(clover())
  expect(alarm).toBeLessThanOrEqual(Date.now() + 30 * 60_000)
  later(30 * 60_000)
  expect(await runDurableObjectAlarm(clover())).toBe(true)
  await showsLinked(false)
  expect(await origin.closed).toBe(4408)
})

test('the default farm sends no reports', async () => {
  await create('clover')
  await openOrigin('run-one-1')
  expect((await listed()).map(({ linked }) => linked)).toEqual([false])
})
