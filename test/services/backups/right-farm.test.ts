/** The backups of the farm that the game is expected to play, while it plays another one or an earlier day. */
import { existsSync, readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Status } from '../../../handlers/game-records.ts'
import { removable } from '../../../services/backups/keep.ts'
import type { BackupParts } from '../../../services/backups/open-backups.ts'
import { clover, rightFarmOf } from '../../backups/saved-farm.ts'
import { manualClock } from '../../bridges/manual-clock.ts'
import { eventually } from '../../wait.ts'
import { aGame } from './a-game.ts'
import { copiedFarms, states, unreliable } from './copied-farm.ts'
import { summer } from './watched-farm.ts'

const aFarm = await copiedFarms()
const keep = { days: 2, weeks: 0, months: 0 }
const made = { ...clover, farmId: 300_000_001, farmhands: [] }
const spring = (day: number) => ({ season: 'spring', day, year: 1 }) as const

/** A farm with backups of days 8 and 9, of which two are kept, and their copies. */
async function atDay9() {
  const farm = aFarm()
  const { game, ...controls } = aGame()
  const rightFarm = rightFarmOf(farm.saved.savesDir, game)
  const clock = manualClock()
  const storage = unreliable(farm.place.store)
  storage.state.isOffline = false
  const place = { ...farm.place, store: storage.store }
  const backups = farm.open(place, { game, rightFarm, keep, clock } satisfies Partial<BackupParts>)
  const kept = async () =>
    (await backups.port.backups()).backups.map(({ save, season, day }) => `${save} ${season} ${day}`)
  const isCopied = () =>
    eventually(async () => expect(new Set(await states(backups))).toEqual(new Set(['done'])))
  const plays = async (date: Pick<Status, 'season' | 'day' | 'year'>, save: Partial<typeof clover> = {}) => {
    clock.advance(60_000)
    farm.saved.save({ ...save, date } as Partial<typeof clover>)
    controls.become({ startedAtUtc: `2026-11-21T12:00:${date.day}Z` })
    controls.day(date)
    await eventually(async () =>
      expect(await kept()).toContainEqual(
        expect.stringMatching(`${save.farmId ?? clover.farmId} ${date.season} ${date.day}$`),
      ),
    )
    await isCopied()
  }
  for (const day of [8, 9]) await plays(summer(day))
  return {
    ...farm,
    controls,
    backups,
    rightFarm,
    kept,
    plays,
    storage,
    objects: () => farm.objects().length,
  }
}

const of = (save: string, season: string, ...days: number[]) => days.map((day) => `${save} ${season} ${day}`)

test('the backups of another farm are made under it, and push out none of the expected one', async () => {
  const { kept, plays, rightFarm, objects } = await atDay9()
  for (const day of [1, 2, 3]) await plays(spring(day), made)
  expect(await kept()).toEqual([
    ...of('Clover_300000001', 'spring', 3, 2),
    ...of('Clover_123456789', 'summer', 9, 8),
  ])
  expect([rightFarm.isWrong(), objects()]).toEqual([true, 5])
})

test('while an earlier day is played nothing of the farm is removed, on the disk or off-site, until someone has decided', async () => {
  const { kept, plays, rightFarm, objects } = await atDay9()
  for (const day of [3, 4, 5]) await plays(summer(day))
  expect(await kept()).toEqual(of('Clover_123456789', 'summer', 5, 4, 3, 9, 8))
  expect([rightFarm.isWrong(), objects()]).toEqual([true, 5])
  await rightFarm.decide({ name: 'Clover', number: '123456789', ...summer(5) })
  await plays(summer(6))
  expect(await kept()).toEqual(of('Clover_123456789', 'summer', 6, 5))
  await eventually(() => expect(objects()).toBe(2))
})

test('a copy whose backup was removed before the alarm stays off-site until someone has decided', async () => {
  const { saved, controls, backups, plays, rightFarm, objects, storage } = await atDay9()
  storage.state.isOffline = true
  const [, oldest] = (await backups.port.backups()).backups
  await backups.port.removeBackup(oldest?.id ?? '')
  saved.save({ date: summer(3) })
  controls.day(summer(3))
  await eventually(async () => {
    await rightFarm.tick()
    expect(rightFarm.isWrong()).toBe(true)
  })
  storage.state.isOffline = false
  await plays(summer(3))
  expect(objects()).toBe(3)
  await rightFarm.decide({ name: 'Clover', number: '123456789', ...summer(3) })
  await eventually(() => expect(objects()).toBe(2))
})

test('the newest verified backup of every farm is always kept', () => {
  const backup = (id: string, save: string, day: number) => ({
    ...{ id, save, reason: 'day' as const, gameVersion: '1', ...summer(day) },
    madeAt: `2026-11-${10 + day}T00:00:00.000Z`,
    verifiedAt: '2026-11-21T00:00:00.000Z',
  })
  const all = [
    backup('a', 'Clover_1', 1),
    backup('b', 'Clover_2', 2),
    backup('c', 'Renamed_1', 3),
    backup('d', 'Oak_3', 4),
  ]
  expect(removable(all, { days: 0, weeks: 0, months: 0 })).toEqual(['a'])
})

test('a renamed folder that the game cannot load is restored by the number of its farm', async () => {
  const { saved, backups, kept } = await atDay9()
  const [{ id } = { id: '' }] = (await backups.port.backups()).backups
  const moved = join(saved.saves, 'Old_123456789')
  renameSync(join(saved.saves, 'Clover_123456789'), moved)
  renameSync(join(moved, 'Clover_123456789'), join(moved, 'Old_123456789'))
  expect((await backups.port.restoreBackup(id, true))?.message).toContain('would be restored')
  expect([existsSync(moved), readdirSync(saved.saves), (await kept()).length]).toEqual([
    true,
    ['Old_123456789'],
    2,
  ])
})
