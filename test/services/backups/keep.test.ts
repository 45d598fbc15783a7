/** Which backups `BACKUP_KEEP` removes (docs/backups.md, "What is kept"). */
import { describe, expect, test } from 'vitest'
import { removable } from '../../../services/backups/keep.ts'

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

test('those made by hand and before a restore are never removed by rule', () => {
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

test('the last backup before the game was updated is never removed by rule', () => {
  const backups = daily(10).map((one, at) => ({ ...one, gameVersion: at < 5 ? '1.6.14' : '1.6.15' }))
  expect(kept(backups, none)).toEqual(['4', '9'])
})

test('a backup that is not verified is not removed, and does not count', () => {
  const { verifiedAt: _, ...unverified } = backup(9)
  expect(kept([...daily(9), unverified], { ...none, days: 1 })).toEqual(['8', '9'])
})

test('each farm is judged by itself, also after its folder was renamed', () => {
  const other = daily(3).map((one) => ({ ...one, id: `other ${one.id}`, save: 'Other_2' }))
  const renamed = daily(3).map((one, at) => ({ ...one, save: at === 2 ? 'Renamed_1' : one.save }))
  expect(kept([...renamed, ...other], { ...none, days: 1 })).toEqual(['2', 'other 2'])
})
