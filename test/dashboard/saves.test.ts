/** Saves in the view of the backups, and the allowlist next to the people. */
import { afterAll, expect, test } from 'vitest'
import { loadSave, saveName } from '../../bridges/simulated/save-files.ts'
import { clover } from '../backups/saved-farm.ts'
import { zippedSave } from '../backups/zipped-save.ts'
import { askWithKey } from '../contract/request.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { plainDriver } from '../services/host/plain-driver.ts'
import { eventually } from '../wait.ts'
import { expectAccessible, expectGood, type Look, openPage } from './open-page.ts'
import { browser } from './shared-browser.ts'

const server = await nodeServer({ driver: plainDriver({ can: { console: false, log: true } }) })
const { json } = await askWithKey(server, 'GET', '/status')
const { farmName, season, day, year } = Object(json)
server.saved.save({ farmName, farmId: 1, date: { season, day, year } })
afterAll(() => server.stop())

const thistle = { ...clover, farmName: 'Thistle', farmId: 42 }
const file = async () => ({
  name: 'farm.zip',
  mimeType: 'application/zip',
  buffer: await zippedSave(thistle),
})

async function openView(view: 'backups' | 'people', look: Partial<Look> = {}) {
  const opened = await openPage(browser, `${server.url}/#key=${server.key}`, look)
  const { page } = opened
  await page.locator('nav').waitFor()
  await page.evaluate((name) => {
    location.hash = `#/${name}`
  }, view)
  return opened
}

test('a save is brought from a laptop: the zip is shown before anything changes, added, and listed', async () => {
  const opened = await openView('backups')
  const { page } = opened
  const card = page
    .locator('section')
    .filter({ has: page.getByRole('heading', { name: 'Saves of the game' }) })
  await card.locator('.fold').first().waitFor()
  expect(await card.locator('.fold').first().innerText()).toContain('active')
  await card.getByRole('button', { name: 'Add a save…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(/^Zip with the save/).setInputFiles(await file())
  await dialog.getByText('Server, Abby, Robin & Lewis').waitFor()
  await dialog.getByText('Nothing is replaced').waitFor()
  expect(loadSave(server.saved.saves, saveName(thistle))).toBeUndefined()
  await expectAccessible(opened)
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await dialog.getByText('Thistle is added.').waitFor()
  expect(loadSave(server.saved.saves, saveName(thistle))?.farmName).toBe('Thistle')
  await page.keyboard.press('Escape')
  await card.locator('.fold').filter({ hasText: 'Thistle' }).waitFor()
  await expectGood(opened)
})

test('on a phone and in Chinese: one that exists cannot be added, and says what to do', async () => {
  server.saved.save(thistle)
  const opened = await openView('backups', { size: 'phone', locale: 'zh-CN', colorScheme: 'dark' })
  const { page } = opened
  await page.getByRole('button', { name: '添加存档…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(/^存档的 zip/).setInputFiles(await file())
  await dialog.getByText('已有存档 Thistle_42。').waitFor()
  expect(await dialog.getByRole('button', { name: '添加', exact: true }).isDisabled()).toBe(true)
  await expectAccessible(opened)
})

test('a file that is not a save is refused with the reason', async () => {
  const { page } = await openView('backups')
  await page.getByRole('button', { name: 'Add a save…' }).click()
  const dialog = page.getByRole('dialog')
  const buffer = Buffer.from('no zip')
  await dialog
    .getByLabel(/^Zip with the save/)
    .setInputFiles({ name: 'a.zip', mimeType: 'application/zip', buffer })
  await dialog.getByRole('alert').filter({ hasText: 'The archive is refused' }).waitFor()
})

test('loading another save says what is lost, and without a console shows the line to type', async () => {
  server.saved.save(thistle)
  const opened = await openView('backups')
  const { page } = opened
  const row = page.locator('.fold').filter({ hasText: 'Thistle' })
  await row.locator('summary').click()
  await row.getByRole('button', { name: 'Load…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(`It stops playing ${farmName}.`).waitFor()
  await dialog.getByRole('button', { name: 'Load it' }).click()
  await dialog.getByText('saves import Thistle_42 --reload').waitFor()
  await expectAccessible(opened)
})

test('the allowlist is kept next to the people, who show their accounts', async () => {
  const opened = await openView('people')
  const { page } = opened
  const card = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Allowlist' }) })
  await card.getByText('The game’s API cannot refuse players.').waitFor()
  await card.getByLabel('Account id').fill('76561198000000001')
  await card.getByLabel('Note').fill('Abby')
  await card.getByRole('button', { name: 'Add to the list' }).click()
  await card.getByText('Steam 76561198000000001').waitFor()
  expect((await askWithKey(server, 'GET', '/allowlist')).json).toEqual({
    accounts: [{ platform: 'steam', id: '76561198000000001', note: 'Abby' }],
  })
  await expectAccessible(opened)
  await server.farm.join({ id: 9_001n, name: 'Stranger' })
  await server.farm.say(9_001n, 'hello')
  await page.evaluate(() => {
    location.hash = '#/chat'
  })
  await page.getByText('Stranger is not on the allowlist').waitFor()
  await page.evaluate(() => {
    location.hash = '#/people'
  })
  await card.getByRole('button', { name: 'Remove Abby' }).click()
  await card.getByText('The list is empty').waitFor()
  await eventually(async () =>
    expect((await askWithKey(server, 'GET', '/allowlist')).json).toEqual({ accounts: [] }),
  )
  await server.farm.leave(9_001n)
  await expectGood(opened)
})
