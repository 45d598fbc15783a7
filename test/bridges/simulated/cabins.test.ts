import { expect, test } from 'vitest'
import { settingsFromFile } from '../../../bridges/settings-file/farm-settings.ts'
import { aFarm } from './a-farm.ts'

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
