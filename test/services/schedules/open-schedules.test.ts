import { describe, expect, onTestFinished, test } from 'vitest'
import { FarmError } from '../../../handlers/farm-error.ts'
import { apiKeyHolder, withoutKey } from '../../../handlers/key-holder.ts'
import type { ScheduleRequest } from '../../../handlers/schedule-record.ts'
import { knownKey } from '../../../lib/keys.ts'
import { noHost } from '../../../services/host/no-host.ts'
import type { SchedulesParts } from '../../../services/schedules/open-schedules.ts'
import { steeredFarm } from '../../bridges/simulated/steered-farm.ts'
import { memoryFarm } from '../../records/memory-records.ts'
import { schedulesOf } from '../../records/memory-schedules.ts'
import { noBackups } from '../../records/no-backups.ts'
import { eventually } from '../../wait.ts'

const minute = 60_000
const noon = Date.parse('2026-11-21T12:00:00Z')
const quarterPast: ScheduleRequest = {
  name: 'Slow',
  cron: '15 * * * *',
  timeZone: 'UTC',
  do: { action: 'clock_speed', multiplier: 3 },
  onlyWhenEmpty: false,
  enabled: true,
}

/** A farm at noon, whose clock the test sets. @param apiKey empty: none is set */
async function aFarm(apiKey = 'key', more: Partial<SchedulesParts> = {}) {
  const clock = { now: noon }
  const game = steeredFarm()
  onTestFinished(() => game.close())
  const farm = await memoryFarm(apiKey, () => clock.now)
  const open = () =>
    schedulesOf({ ...farm, game, backups: noBackups, host: noHost }, { now: () => clock.now, ...more })
  const schedules = open()
  const audit = async () => (await farm.records.of('local').audit({ limit: 500 })).entries
  return {
    ...farm,
    ...schedules,
    game,
    clock,
    audit,
    /** As after a restart. */
    open,
    /** Starts farmgate at a time and lets everything that is due end. */
    async at(minutes: number) {
      const of = open()
      clock.now = noon + minutes * minute
      await of.tick()
      await eventually(async () => {
        const pending = (await farm.records.calls.storedSchedules()).filter(
          ({ enabled, dueAt = 0 }) => enabled && dueAt <= clock.now,
        )
        return pending.length === 0
      })
      await of.close()
    },
    only: async () => (await schedules.port.schedules())[0],
    namedKey: async (scopes: readonly ('read' | 'control' | 'chat' | 'admin')[]) => {
      const { id } = await farm.records.of('local').makeKey({ name: 'Robin', scopes: [...scopes] })
      const named = farm.keys.named?.find((key) => key.id === id)
      if (named === undefined) throw new Error('the ring has every key')
      return knownKey(named).holder
    },
  }
}

describe('a run', () => {
  test('of a person has the scopes of their groups for a week after the sign-in, and is disabled then, as sessions lose them', async () => {
    const { port, at, only, records } = await aFarm()
    const { calls } = records
    await calls.setAccountGroups([{ provider: 'oidc', id: 'moderators', scopes: ['control'] }])
    const person = { provider: 'oidc', subject: 'left', name: 'Leah', groups: ['moderators'] } as const
    await calls.signIn(person, { id: 'left', digest: Buffer.alloc(32, 1), accountId: 'leah' }, noon)
    const account = { id: 'leah', provider: 'oidc', name: 'Leah' } as const
    const maker = { id: 'left', name: 'Leah', ref: 'fg_left', scopes: ['control'], account } as const
    await port.makeSchedule(quarterPast, maker)
    const day = 1440
    await at(6 * day + 15)
    expect(await only()).toMatchObject({ enabled: true, last: { outcome: 'succeeded' } })
    await at(7 * day + 15)
    expect(await only()).toMatchObject({
      enabled: false,
      disabledBecause: 'Leah, who made this schedule, lacks the scope control',
    })
    expect(await calls.storedAccounts(noon + 8 * day * minute)).toMatchObject([{ groupScopes: [] }])
  })

  test('calls the endpoint with the key of its maker, as a row of the audit with the origin schedule', async () => {
    const { port, at, only, audit } = await aFarm()
    await port.makeSchedule(quarterPast, apiKeyHolder())
    await at(15)
    expect(await only()).toMatchObject({
      last: { at: '2026-11-21T12:15:00.000Z', outcome: 'succeeded' },
      nextAt: '2026-11-21T13:15:00.000Z',
    })
    expect(await audit()).toMatchObject([
      {
        action: 'setClockSpeed',
        origin: 'schedule',
        key: { id: 'api_key' },
        parameters: { multiplier: '3' },
        outcome: 'done',
        address: '',
      },
    ])
  })

  test('is made once, for any number of times that the clock passes its time', async () => {
    const { port, clock, audit, tick, at } = await aFarm()
    await port.makeSchedule(quarterPast, apiKeyHolder())
    for (const minutes of [15, 14, 15, 16, 3, 15]) {
      clock.now = noon + minutes * minute
      await Promise.all([tick(), tick()])
      await at(minutes)
    }
    expect(await audit()).toHaveLength(1)
  })

  test('is skipped while players are connected if it is only for an empty farm', async () => {
    const { port, at, only, game, audit } = await aFarm()
    game.controls.join({ id: 7n, name: 'Abby' })
    await port.makeSchedule({ ...quarterPast, onlyWhenEmpty: true }, apiKeyHolder())
    await at(15)
    expect(await only()).toMatchObject({ last: { outcome: 'skipped', detail: 'Players connected: 3' } })
    expect(await audit()).toEqual([])
  })

  test('of an endpoint that refuses is failed with its sentence', async () => {
    const { port, at, only, game } = await aFarm()
    game.controls.join({ id: 7n, name: 'Abby' })
    await port.makeSchedule({ ...quarterPast, do: { action: 'reload' } }, apiKeyHolder())
    await at(15)
    expect(await only()).toMatchObject({
      enabled: true,
      last: {
        outcome: 'failed',
        detail: 'Cannot do this while 3 player(s) are connected; disconnect all players first',
      },
    })
  })

  test('that is 15 minutes late is made; a later one is missed, and the next is made at its time', async () => {
    const { port, at, only, audit } = await aFarm()
    await port.makeSchedule(quarterPast, apiKeyHolder())
    await at(30)
    expect((await only())?.last).toMatchObject({ outcome: 'succeeded', at: '2026-11-21T12:30:00.000Z' })
    await at(60 + 31)
    expect((await only())?.last).toEqual({ outcome: 'missed', at: '2026-11-21T13:15:00.000Z' })
    await at(120 + 15)
    expect((await only())?.last).toMatchObject({ outcome: 'succeeded' })
    await at(240 + 15)
    expect((await only())?.last).toMatchObject({
      outcome: 'succeeded',
      detail: 'Runs since 2026-11-21T15:15:00.000Z were missed',
    })
    expect(await audit()).toHaveLength(3)
  })

  test('that the process did not finish is failed and not repeated: it is written before it begins', async () => {
    const begun = Promise.withResolvers<void>()
    const { port, clock, tick, open, only, records } = await aFarm('key', {
      dispatch: () => {
        begun.resolve()
        return new Promise(() => undefined)
      },
    })
    await port.makeSchedule(quarterPast, apiKeyHolder())
    clock.now = noon + 15 * minute
    await tick()
    await begun.promise
    const [stored] = await records.calls.storedSchedules()
    expect(stored).toMatchObject({
      dueAt: noon + 75 * minute,
      last: {
        outcome: 'failed',
        detail: 'farmgate stopped during this run; whether the action was made is unknown',
      },
    })
    // Until it has ended the last one is still the last.
    expect(await only()).not.toHaveProperty('last')
    const next = open()
    await next.tick()
    expect((await next.port.schedules())[0]).toMatchObject({ nextAt: '2026-11-21T13:15:00.000Z' })
  })

  test('by hand is made at once, also of a disabled schedule, and does not count as one by the clock', async () => {
    const { port, at, audit } = await aFarm()
    const { id } = await port.makeSchedule({ ...quarterPast, enabled: false }, apiKeyHolder())
    const both = await Promise.all([port.runSchedule(id), port.runSchedule(id)])
    expect(both.map((run) => run?.outcome)).toEqual(['succeeded', 'succeeded'])
    expect(await audit()).toHaveLength(1)
    expect(await port.changeSchedule(id, { enabled: true }, apiKeyHolder())).toMatchObject({
      nextAt: '2026-11-21T12:15:00.000Z',
    })
    await at(15)
    expect(await audit()).toHaveLength(2)
  })
})

describe('the maker', () => {
  test('acts with its current scopes: a revoked key disables the schedule and says why', async () => {
    const { port, at, only, namedKey, records, audit } = await aFarm()
    const robin = await namedKey(['admin'])
    const { id } = await port.makeSchedule(quarterPast, robin)
    await at(15)
    expect((await only())?.last).toMatchObject({ outcome: 'succeeded' })
    await records.of('local').revokeKey(robin.id)
    await at(75)
    const disabledBecause = 'Robin, who made this schedule, has no valid key any more'
    expect(await only()).toMatchObject({
      enabled: false,
      nextAt: null,
      disabledBecause,
      last: { outcome: 'failed', detail: disabledBecause },
    })
    expect(await audit()).toHaveLength(1)
    const revived = await port.changeSchedule(id, { enabled: true }, apiKeyHolder())
    expect(revived).not.toHaveProperty('disabledBecause')
    await at(135)
    expect((await only())?.last).toMatchObject({ outcome: 'succeeded' })
    expect((await audit())[0]).toMatchObject({ key: { id: 'api_key' } })
  })

  test('with a key without the scope of the action loses the schedule too', async () => {
    const { port, at, only, namedKey } = await aFarm()
    await port.makeSchedule(quarterPast, await namedKey(['read']))
    await at(15)
    expect(await only()).toMatchObject({
      enabled: false,
      disabledBecause: 'Robin, who made this schedule, lacks the scope control',
    })
  })

  test('without a key loses the schedule once a key is set', async () => {
    const { port, at, only } = await aFarm()
    await port.makeSchedule(quarterPast, withoutKey)
    await at(15)
    expect(await only()).toMatchObject({ enabled: false })
  })

  test('with the API_KEY of the edge is the maker with API_KEY', async () => {
    const { port, at, only } = await aFarm()
    await port.makeSchedule(quarterPast, apiKeyHolder('digest of the edge'))
    await at(15)
    expect((await only())?.last).toMatchObject({ outcome: 'succeeded' })
  })
})

test.each([
  ['cron', { cron: '* * * *' }],
  ['cron', { cron: '0 0 30 2 *' }],
  ['timeZone', { timeZone: '+02:00' }],
  ['warnMinutes', { warnMinutes: [5] }],
])('a schedule whose %s cannot be used is refused by its name', async (parameter, wrong) => {
  const { port } = await aFarm()
  const made = port.makeSchedule({ ...quarterPast, ...wrong }, apiKeyHolder())
  await expect(made).rejects.toThrow(FarmError)
  await expect(made).rejects.toMatchObject({ failure: { kind: 'invalid_argument', parameter } })
})

test('a deleted schedule runs no more, and a change during a run is kept', async () => {
  const { port, at, audit, only } = await aFarm()
  const { id } = await port.makeSchedule(quarterPast, apiKeyHolder())
  const run = port.runSchedule(id)
  await port.changeSchedule(id, { name: 'Slower' }, apiKeyHolder())
  await run
  expect(await only()).toMatchObject({ name: 'Slower', last: { outcome: 'succeeded' } })
  expect(await port.deleteSchedule(id)).toBeTruthy()
  await at(15)
  expect([await audit(), await only()]).toMatchObject([[{}], undefined])
})
