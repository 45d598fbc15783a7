/** Manual backups: their number, and their use of the disk. */
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { saveName } from '../../../bridges/simulated/save-files.ts'
import { removable } from '../../../services/backups/keep.ts'
import { backupsOf, clover, savedFarm } from '../../backups/saved-farm.ts'
import { eventually } from '../../wait.ts'
import { game } from './clover.ts'
import { atDay9, started } from './loading-game.ts'
import { summer, watchedFarm } from './watched-farm.ts'

test('sixty manual backups of an unchanged save are one archive, which each of them returns', async () => {
  const farm = savedFarm()
  farm.save()
  const backups = backupsOf(farm, game)
  onTestFinished(async () => {
    await backups.close()
    farm.remove()
  })
  const all = await Promise.all(Array.from({ length: 60 }, () => backups.port.makeBackup()))
  expect(new Set(all.map(({ id }) => id)).size).toBe(1)
  expect(all.map(({ created }) => created)).toEqual([true, ...Array.from({ length: 59 }, () => false)])
  expect(readdirSync(farm.folder).filter((name) => name.endsWith('.zip'))).toHaveLength(1)
})

test('a save is unchanged only if no file differs but the older copies of its own two', async () => {
  const { farm, clock, open } = watchedFarm()
  const backups = open()
  farm.save()
  const write = (name: string, text: string) => writeFileSync(join(farm.saves, saveName(clover), name), text)
  const madeNew = async () => {
    clock.advance(1000)
    return (await backups.port.makeBackup()).created
  }
  expect(await madeNew()).toBe(true)
  for (const own of [saveName(clover), 'SaveGameInfo']) write(`${own}_old`, 'of the day before')
  expect(await madeNew()).toBe(false)
  write('farmhand-ownership.json', '{}')
  expect(await madeNew()).toBe(true)
  write('farmhand-ownership.json', '{"Farmhands":{}}')
  expect(await madeNew()).toBe(true)
  expect(await madeNew()).toBe(false)
})

test('of manual backups of one game day five are kept, whatever changes in the save, next to those of the next day', async () => {
  const { farm, clock, open } = watchedFarm()
  const backups = open()
  const ids: string[] = []
  for (let made = 0; made < 8; made += 1) {
    farm.saveAgain()
    clock.advance(1000)
    ids.push((await backups.port.makeBackup()).id)
  }
  farm.save({ date: summer(6) })
  clock.advance(1000)
  ids.push((await backups.port.makeBackup()).id)
  expect((await backups.list()).map(({ id }) => id)).toEqual(ids.slice(-6).reverse())
})

test('on a disk with only its reserve of free space no backup is made, manually or after a day; a webhook reports it, and the next one with free space ends it', async () => {
  const reasons: string[] = []
  let free = 0
  const { farm, controls, open, log, notYet, clock } = watchedFarm({
    room: async () => free,
    onFailed: (reason) => void reasons.push(reason),
  })
  const backups = open()
  farm.save()
  await expect(backups.port.makeBackup()).rejects.toMatchObject({ failure: { kind: 'disk_low' } })
  controls.day(summer(5))
  expect(await notYet()).toBe(60_000)
  expect({ days: await backups.days(), reasons, isFailing: backups.isFailing() }).toEqual({
    days: [],
    reasons: ['disk_low'],
    isFailing: true,
  })
  expect(log.filter(({ level }) => level === 'error')).toHaveLength(1)
  free = 1
  clock.advance(60_000)
  await eventually(async () => expect(await backups.days()).toEqual([5]))
  await eventually(() => expect(backups.isFailing()).toBe(false))
})

test('the copy before a restore can use the reserve of free space', async () => {
  const saved = savedFarm()
  onTestFinished(saved.remove)
  const { id, close: end } = await atDay9(saved)
  await end()
  const { port, close } = started(saved, [], { room: async () => 0 })
  onTestFinished(close)
  expect((await port.restoreBackup(id, false))?.safetyBackup).toBeDefined()
  expect((await port.backups()).backups.map(({ reason }) => reason)).toEqual(['before_restore', 'manual'])
})

type Judged = Parameters<typeof removable>[0][number]

/** The ids are the days since 2026-11-01. */
const backup = (at: number, more: Partial<Judged> = {}): Judged => ({
  id: String(at),
  madeAt: new Date(Date.UTC(2026, 10, 1, 12) + at * 86_400_000).toISOString(),
  reason: 'day',
  save: 'Clover_1',
  gameVersion: '1.6.15',
  verifiedAt: '2026-11-01T12:00:00.000Z',
  season: 'spring',
  year: 1 + Math.floor(at / 28),
  day: 1 + (at % 28),
  ...more,
})
const daily = (count: number) => Array.from({ length: count }, (_one, at) => backup(at))
const kept = (backups: readonly Judged[], rule: Parameters<typeof removable>[1]) => {
  const gone = removable(backups, rule)
  return backups.map(({ id }) => id).filter((id) => !gone.includes(id))
}
const none = { days: 0, weeks: 0, months: 0 }

describe('the last backup is kept', () => {
  test.each([
    ['of each of so many game days', { ...none, days: 3 }, ['37', '38', '39']],
    // 2026-11-29, -12-06 are Sundays, 2026-12-10 is the last.
    ['of each of so many calendar weeks', { ...none, weeks: 3 }, ['28', '35', '39']],
    ['of each of so many calendar months', { ...none, months: 2 }, ['29', '39']],
    ['of each of them together', { days: 1, weeks: 2, months: 2 }, ['29', '35', '39']],
    ['of all where the rule keeps nothing', none, ['39']],
  ])('%s', (_what, rule, ids) => {
    expect(kept(daily(40), rule)).toEqual(ids)
    expect(kept(daily(40).toReversed(), rule)).toEqual(ids.toReversed())
  })
})

test('of several backups of one game day the last is kept', () => {
  const twice = [backup(0), backup(1, { day: 1 }), backup(2, { day: 2 })]
  expect(kept(twice, { ...none, days: 2 })).toEqual(['1', '2'])
})

test('with the clock set back the newest backups are kept and the older ones are removed', () => {
  const yearAhead = 365 * 86_400_000
  const ahead = daily(20).map((one) => ({
    ...one,
    madeAt: new Date(Date.parse(one.madeAt) + yearAhead).toISOString(),
  }))
  const last = Date.parse(ahead.at(-1)?.madeAt ?? '')
  const after = daily(30)
    .slice(20)
    .map((one, at) => ({ ...one, order: last + 1 + at }))
  const all = [...ahead, ...after]
  expect(kept(all, { ...none, days: 14 })).toEqual(all.slice(-14).map(({ id }) => id))
})

describe('the calendar of the rule is UTC, in any time zone of the machine', () => {
  const at = (...times: readonly string[]) =>
    times.map((madeAt, index) => backup(index, { id: madeAt.slice(0, 16), madeAt }))
  const zone = process.env['TZ']
  afterEach(() => {
    if (zone === undefined) delete process.env['TZ']
    else process.env['TZ'] = zone
  })
  test.each(['UTC', 'Pacific/Kiritimati', 'Pacific/Pago_Pago', 'Europe/Berlin'])('%s', (name) => {
    process.env['TZ'] = name
    // The clocks of Berlin are set back at 2026-10-25T01:00Z, so that two backups have one local time.
    const months = at(
      '2026-10-25T00:30:00.000Z',
      '2026-10-25T01:30:00.000Z',
      '2026-10-31T23:59:59.999Z',
      '2026-11-01T00:00:00.000Z',
    )
    expect(kept(months, { ...none, months: 2 })).toEqual(['2026-10-31T23:59', '2026-11-01T00:00'])
    const weeks = at(
      '2026-11-22T23:59:59.999Z',
      '2026-11-23T00:00:00.000Z',
      '2026-11-29T23:59:59.999Z',
      '2026-11-30T00:00:00.000Z',
    )
    expect(kept(weeks, { ...none, weeks: 3 })).toEqual([
      '2026-11-22T23:59',
      '2026-11-29T23:59',
      '2026-11-30T00:00',
    ])
  })
  test('a week that spans two years is one week', () => {
    const week = at(
      '2026-12-27T12:00:00.000Z',
      '2026-12-28T12:00:00.000Z',
      '2027-01-03T12:00:00.000Z',
      '2027-01-04T12:00:00.000Z',
    )
    expect(kept(week, { ...none, weeks: 3 })).toEqual([
      '2026-12-27T12:00',
      '2027-01-03T12:00',
      '2027-01-04T12:00',
    ])
  })
  test('February 29 ends its month, and the moment after a leap second begins the next one', () => {
    const ends = at('2028-02-28T12:00:00.000Z', '2028-02-29T23:59:59.999Z', '2028-03-01T00:00:00.000Z')
    expect(kept(ends, { ...none, months: 2 })).toEqual(['2028-02-29T23:59', '2028-03-01T00:00'])
    // A clock that repeats the last second of a day gives the second backup the time of the first.
    const repeated = at(
      '2026-12-31T23:59:59.500Z',
      '2026-12-31T23:59:59.250Z',
      '2027-01-01T00:00:00.000Z',
    ).map((one, index) => ({ ...one, id: String(index), order: Date.UTC(2027, 0, 1) + index }))
    expect(kept(repeated, { ...none, months: 2 })).toEqual(['1', '2'])
  })
})

test('the rule never removes manual backups, or those before a restore', () => {
  const backups = daily(10).map((one, at) => ({
    ...one,
    reason: at === 2 ? ('manual' as const) : at === 4 ? ('before_restore' as const) : one.reason,
  }))
  expect(kept(backups, none)).toEqual(['2', '4', '9'])
})

test.each(['manual', 'before_restore'] as const)(
  'one of the same game day that is %s removes no other',
  (reason) => {
    expect(kept([backup(0), backup(1, { day: 1, reason })], { ...none, days: 1 })).toEqual(['0', '1'])
  },
)

test('the rule never removes the last backup before an update of the game', () => {
  const backups = daily(10).map((one, at) => ({ ...one, gameVersion: at < 5 ? '1.6.14' : '1.6.15' }))
  expect(kept(backups, none)).toEqual(['4', '9'])
})

test('an unverified backup is not removed, and does not count', () => {
  const { verifiedAt: _, ...unverified } = backup(9)
  expect(kept([...daily(9), unverified], { ...none, days: 1 })).toEqual(['8', '9'])
})

test('the rule applies to each farm separately, also after its folder was renamed', () => {
  const other = daily(3).map((one) => ({ ...one, id: `other ${one.id}`, save: 'Other_2' }))
  const renamed = daily(3).map((one, at) => ({ ...one, save: at === 2 ? 'Renamed_1' : one.save }))
  expect(kept([...renamed, ...other], { ...none, days: 1 })).toEqual(['2', 'other 2'])
})
