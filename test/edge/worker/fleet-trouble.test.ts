/** `trouble` of `GET /farms`, and the ages and versions next to it. */
import { evictDurableObject, reset, runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, expect, test, vi } from 'vitest'
import type { FarmHealth } from '../../../bridges/linked/protocol.ts'
import type { FarmUpkeep } from '../../../handlers/farm-upkeep.ts'
import type { FleetEntry } from '../../../handlers/fleet.ts'
import { version } from '../../../lib/version.ts'
import { eventually } from '../../wait.ts'
import { ask, create, fleetKey, openLink, statusEvent } from './fleet.ts'

afterEach(reset)
afterEach(() => void vi.useRealTimers())

const hour = 3_600_000
const day = 24 * hour
const healthy = { gameAvailable: true, isFrozen: false, tickCount: 1, pace: 60, records: 'ok' }
const later = (milliseconds: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + milliseconds })

const clover = async (): Promise<FleetEntry | undefined> => {
  const { farms } = await (await ask('GET', '/farms', fleetKey)).json<{ farms: FleetEntry[] }>()
  return farms.find(({ farm }: FleetEntry) => farm === 'clover')
}
const shows = (part: Partial<FleetEntry>) =>
  eventually(async () => expect(await clover()).toMatchObject(part))

/** Links the farm with this health. */
async function linked(health: Partial<FarmHealth> = {}, players = 1) {
  const { ws } = await openLink('clover', await create('clover'), true, { ...healthy, ...health }, players)
  await shows({ linked: true })
  return ws
}
const withUpkeep = (upkeep: Partial<FarmUpkeep>, players = 1) =>
  linked({ upkeep: { version, ...upkeep } }, players)

test('a farm without trouble has an empty list, also one of an older release, which leaves ages and versions out', async () => {
  await linked()
  const entry = await clover()
  expect(entry).toMatchObject({ trouble: [], tags: [], maxPlayers: 10 })
  for (const unknown of ['backupAgeHours', 'tokenDays', 'farmgateVersion'])
    expect(entry).not.toHaveProperty(unknown)
})

test('never_linked: a farm that was created and not linked yet', async () => {
  await create('clover')
  expect(await clover()).toMatchObject({ linked: false, trouble: ['never_linked'] })
})

test('offline: a farm whose link was lost; what only the farm knows is not said then', async () => {
  const ws = await withUpkeep({ steam: { signedOut: true }, backups: { failing: true }, nightStuck: true })
  await shows({ trouble: ['night_stuck', 'signed_out', 'backup_failing'] })
  ws.close(1001, 'Farm is stopping')
  await shows({ linked: false, trouble: ['offline'] })
})

test('wrong_farm: the game does not play the farm that it is expected to play', async () => {
  await withUpkeep({ wrongFarm: true })
  await shows({ trouble: ['wrong_farm'] })
})

test.each([
  ['does not answer', { gameAvailable: false }],
  ['does not run', { isFrozen: true }],
])('game_offline: the game %s', async (_how, health) => {
  await linked(health)
  await shows({ linked: true, trouble: ['game_offline'] })
})

test('game_offline: no farm is loaded', async () => {
  const ws = await linked()
  later(30_000)
  ws.send(statusEvent(0, false))
  await eventually(async () =>
    expect(await (await ask('GET', '/farms/clover/status')).json()).toMatchObject({ isOnline: false }),
  )
  later(30_000)
  expect(await runDurableObjectAlarm(env.FARM.getByName('farm/clover'))).toBe(true)
  await shows({ linked: true, trouble: ['game_offline'] })
})

test('records_failing: the records of the farm are in memory only', async () => {
  await linked({ records: 'failed' })
  await shows({ trouble: ['records_failing'] })
})

test('backup_old: the farm was played in the last 48 hours, and its last backup is older', async () => {
  const now = Date.now()
  await withUpkeep({ backups: { lastAt: now - 47 * hour } })
  await shows({ backupAgeHours: 47, trouble: [] })
  later(2 * hour)
  await shows({ backupAgeHours: 49, trouble: ['backup_old'] })
})

test('an old backup of a farm that is not played is not trouble', async () => {
  await withUpkeep({ backups: { lastAt: Date.now() - 90 * day } }, 0)
  await shows({ backupAgeHours: 90 * 24, trouble: [] })
})

test('a farm that has never had a backup has no age of one, and is backup_old after 48 hours', async () => {
  await withUpkeep({ backups: {} })
  expect(await clover()).not.toHaveProperty('backupAgeHours')
  expect(await clover()).toMatchObject({ trouble: [] })
  later(49 * hour)
  await shows({ trouble: ['backup_old'] })
})

test('token_expiring: the sign-in to Steam ends within 14 days, also while no one reports', async () => {
  const ws = await withUpkeep({ steam: { endsAt: Date.now() + 15.5 * day } })
  await shows({ tokenDays: 15, trouble: [] })
  ws.close(1001, 'Farm is stopping')
  await shows({ linked: false })
  later(2 * day)
  await shows({ tokenDays: 13, trouble: ['offline', 'token_expiring'] })
  later(90 * day)
  await shows({ tokenDays: 0, trouble: ['offline', 'token_expiring'] })
})

test.each([
  ['0.0.9', ['version_old']],
  [version, []],
  ['999.0.0', []],
  ['unreleased', []],
])('version_old: the release %s of farmgate at the farm is %j', async (release, trouble) => {
  await withUpkeep({ version: release } as FarmUpkeep)
  await shows({ farmgateVersion: release, trouble } as Partial<FleetEntry>)
})

test("a change of a farm's trouble is shown within a minute, and survives a restart of the fleet object", async () => {
  const ws = await withUpkeep({})
  later(30_000)
  const health = { ...healthy, upkeep: { version, backups: { failing: true } } }
  ws.send(JSON.stringify({ type: 'health', health }))
  await eventually(async () => expect((await ask('GET', '/farms/clover/metrics', fleetKey)).status).toBe(200))
  expect(await clover()).toMatchObject({ trouble: [] })
  later(30_000)
  expect(await runDurableObjectAlarm(env.FARM.getByName('farm/clover'))).toBe(true)
  await shows({ trouble: ['backup_failing'] })
  await evictDurableObject(env.FLEET.getByName('fleet'))
  await shows({ trouble: ['backup_failing'] })
})
