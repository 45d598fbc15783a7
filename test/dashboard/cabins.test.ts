/** The cabins: the map, the hidden ones, and the table with all of them. */

import { expect, onTestFinished, test } from 'vitest'
import { settingsFromFile } from '../../bridges/settings-file/farm-settings.ts'
import { steeredFarm } from '../bridges/simulated/steered-farm.ts'
import { type NodeServer, nodeServer } from '../runtime/node/node-server.ts'
import { eventually } from '../wait.ts'
import { expectAccessible, expectGood, openView } from './open-page.ts'
import { browser } from './shared-browser.ts'

async function openCabins(server: Pick<NodeServer, 'url' | 'key'>) {
  const opened = await openView(browser, server, 'cabins')
  await opened.page.getByRole('heading', { name: 'All cabins' }).waitFor()
  return opened
}

test('each cabin on the farm is on the map and in the table, with tile and owner', async () => {
  const game = steeredFarm({ settings: settingsFromFile('{"Server":{"CabinStrategy":"None"}}') })
  const server = await nodeServer({ server: { game } })
  onTestFinished(async () => {
    await server.stop()
    await game.close()
  })
  await game.controls.join({ id: 6208260877024290921n, name: 'Abby' })
  const { cabins } = await game.cabins()
  const opened = await openCabins(server)
  const { page } = opened
  await page.getByRole('img', { name: 'Map of the farm' }).waitFor()
  await eventually(async () => expect(await page.locator('.farm-map .house').count()).toBe(cabins.length))
  const rows = await page.getByRole('table').getByRole('row').allInnerTexts()
  expect(rows).toHaveLength(cabins.length + 1)
  for (const [at, { tileX, tileY, ownerName }] of cabins.entries()) {
    expect(rows[at + 1]).toContain(`${tileX}, ${tileY}`)
    expect(rows[at + 1]).toContain(ownerName || 'Free')
  }
  expect(rows.find((row) => row.includes('Abby'))).toContain('online now')
  await expectAccessible(opened)
  await expectGood(opened)
})

test('hidden cabins are marked as hidden, a joining owner appears without a reload, and a hostile name is text', async () => {
  const server = await nodeServer()
  onTestFinished(() => server.stop())
  const opened = await openCabins(server)
  const { page } = opened
  await page.getByRole('heading', { name: 'Hidden' }).waitFor()
  expect(await page.locator('.farm-map').count()).toBe(0)
  const name = '<img src=x onerror=alert(1)>'
  await server.farm.join({ id: 6208260877024290921n, name })
  const row = page.getByRole('row').filter({ hasText: name })
  expect(await row.innerText()).toContain('hidden')
  expect(await page.locator('main img').count()).toBe(0)
  await expectAccessible(opened)
  await expectGood(opened)
})

test('a migration of the cabins, the shared spot and the entry of the farmhouse are shown as the game reports them', async () => {
  const game = steeredFarm({ seed: 'map' })
  const cabins = async () => ({
    ...(await game.cabins()),
    strategy: 'FarmhouseStack',
    migration: {
      fromStrategy: 'CabinStack',
      toStrategy: 'FarmhouseStack',
      placedCount: 2,
      remainingCount: 1,
    },
    stackSpot: { tileX: 50, tileY: 14, isOverride: false, isObstructed: true, obstructionChecked: true },
    mainFarmHouseEntry: { x: 64, y: 15 },
  })
  const server = await nodeServer({ server: { game: { ...game, cabins } } })
  onTestFinished(async () => {
    await server.stop()
    await game.close()
  })
  const { page } = await openCabins(server)
  await page.getByText('from CabinStack to FarmhouseStack. Placed: 2, remaining: 1.').waitFor()
  await page.getByText('cabins migrate commit').waitFor()
  await page
    .getByText('Each player sees their own cabin at tile 50, 14. Something blocks this tile.')
    .waitFor()
  await page.getByText('Players leave their cabins at tile 64, 15').waitFor()
})
