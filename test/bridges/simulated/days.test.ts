import { expect, test } from 'vitest'
import { settingsFromFile } from '../../../bridges/settings-file/farm-settings.ts'
import { isFestival, tenMinutesLater, tomorrow } from '../../../bridges/simulated/calendar.ts'
import { failureOf } from '../contract/expectations.ts'
import { aFarm } from './a-farm.ts'

test('the clock runs from 600 to 2600 in ten-minute steps', () => {
  const times = [600]
  for (let time = 600; time < 2600; times.push(time)) time = tenMinutesLater(time)
  expect(times).toHaveLength(121)
  expect(times.slice(4, 8)).toEqual([640, 650, 700, 710])
  expect(times.every((time) => time % 100 < 60)).toBe(true)
  expect(tenMinutesLater(2600)).toBe(2600)
  expect(tenMinutesLater(1234)).toBe(1240)
})

test('a year is four seasons of 28 days, two festivals in each', () => {
  let date = tomorrow({ day: 28, season: 'winter', year: 1 })
  expect(date).toEqual({ day: 1, season: 'spring', year: 2 })
  const festivals: Record<string, number> = {}
  for (let day = 0; day < 112; day += 1) {
    if (isFestival(date)) festivals[date.season] = (festivals[date.season] ?? 0) + 1
    date = tomorrow(date)
  }
  expect(date).toEqual({ day: 1, season: 'spring', year: 3 })
  expect(festivals).toEqual({ spring: 2, summer: 2, fall: 2, winter: 2 })
})

test('at night the day ends, the game saves briefly and a new day starts; writes are refused until then', async () => {
  const { farm, clock, events } = aFarm({ story: 'steered' })
  const [farmhand] = (await farm.farmhands()).farmhands.filter(({ isCustomized }) => isCustomized)
  if (farmhand === undefined) return expect.fail('no farmhand lives here')
  const target = { id: farmhand.id, label: farmhand.name }
  await farm.setTime(2600)
  expect(await farm.status()).toMatchObject({ timeOfDay: 2600, isReady: false, dayTransitionComplete: false })
  expect(await failureOf(farm.deleteFarmhand(target))).toEqual({ kind: 'not_ready' })
  expect(await failureOf(farm.grantAdmin(target))).toEqual({ kind: 'not_ready' })
  expect(await failureOf(farm.setTime(900))).toEqual({ kind: 'not_ready' })
  clock.advance(2_000)
  expect(await failureOf(farm.deleteFarmhand(target))).toEqual({ kind: 'save_in_progress' })
  expect(await failureOf(farm.rebindFarmhand(target, '76561198000000001'))).toEqual({
    kind: 'save_in_progress',
  })
  expect(await failureOf(farm.setTime(900))).toEqual({ kind: 'not_ready' })
  clock.advance(2_000)
  expect(await farm.status()).toMatchObject({
    day: 2,
    timeOfDay: 600,
    isReady: true,
    dayTransitionComplete: true,
  })
  expect(events.map(({ type }) => type)).toEqual([
    'status_changed',
    'ready_changed',
    'status_changed',
    'day_started',
    'ready_changed',
  ])
})

test('a festival day follows the calendar: isReady false, dayTransitionComplete true, and no write refused', async () => {
  const { farm, clock } = aFarm({ story: 'steered' })
  for (let day = 1; day < 13; day += 1) {
    expect(await farm.status()).toMatchObject({ day, isReady: true })
    await farm.setTime(2600)
    clock.advance(4_000)
  }
  expect(await farm.status()).toMatchObject({ day: 13, isReady: false, dayTransitionComplete: true })
  await farm.setTime(1000)
  const [player] = (await farm.players()).players
  if (player === undefined) return expect.fail('no player is at the festival')
  expect(await farm.grantAdmin({ id: player.id, label: player.name })).toBe(player.name)
})

test('seasons follow one another, each with an event', async () => {
  const { farm, clock, events } = aFarm({ story: 'steered' })
  for (let day = 0; day < 28; day += 1) {
    await farm.setTime(2600)
    clock.advance(4_000)
  }
  expect(await farm.status()).toMatchObject({ day: 1, season: 'summer', year: 1 })
  expect(events.filter(({ type }) => type === 'season_started')).toEqual([
    { type: 'season_started', season: 'summer', year: 1 },
  ])
})

test('an admin stays admin over visits and nights, until the farmhand is deleted', async () => {
  const { farm, clock, controls } = aFarm({ story: 'steered' })
  const { id } = controls.join({ name: 'Abby' })
  await farm.grantAdmin({ id, label: 'Abby' })
  controls.leave(id)
  await farm.setTime(2600)
  clock.advance(4_000)
  controls.join({ name: 'Abby', id })
  expect(controls.isAdmin(id)).toBe(true)
  controls.leave(id)
  await farm.deleteFarmhand({ id, label: 'Abby' })
  expect(controls.isAdmin(id)).toBe(false)
})

test('a faster clock shortens the day', async () => {
  const { farm, clock } = aFarm()
  expect(await farm.setClockSpeed(10)).toBe(70)
  clock.advance(700)
  expect((await farm.status()).timeOfDay).toBe(610)
})

const withStrategy = (strategy: string, hasPassword = false) =>
  aFarm({
    story: 'steered',
    hasPassword,
    settings: settingsFromFile(`{"Game":{"StartingCabins":5},"Server":{"CabinStrategy":"${strategy}"}}`),
  }).farm

for (const strategy of ['CabinStack', 'FarmhouseStack'])
  test(`${strategy}: every cabin is hidden on the stack, and one free cabin is kept in reserve`, async () => {
    const farm = withStrategy(strategy)
    const cabins = await farm.cabins()
    expect(cabins.strategy).toBe(strategy)
    for (const cabin of cabins.cabins)
      expect(cabin).toMatchObject({ tileX: -20, tileY: -20, isHidden: true, type: strategy })
    expect(cabins).toMatchObject({ totalCount: 4, assignedCount: 3, availableCount: 1 })
  })

test('None: as many visible cabins as the settings start with, each in its own place', async () => {
  const cabins = await withStrategy('None').cabins()
  expect(cabins).toMatchObject({ strategy: 'None', totalCount: 5, assignedCount: 3, availableCount: 2 })
  expect(new Set(cabins.cabins.map(({ tileX, tileY }) => `${tileX},${tileY}`)).size).toBe(5)
  for (const cabin of cabins.cabins) expect(cabin).toMatchObject({ isHidden: false, type: 'Normal' })
})

test('with a password, the login lobby is a cabin without an owner', async () => {
  const cabins = await withStrategy('CabinStack', true).cabins()
  expect(cabins.cabins.at(-1)).toEqual({
    tileX: -21,
    tileY: -21,
    isHidden: true,
    type: 'SharedLobby',
    ownerId: 0n,
    ownerName: '',
    isAssigned: false,
  })
  expect(cabins).toMatchObject({ totalCount: 5, assignedCount: 3, availableCount: 2 })
})
