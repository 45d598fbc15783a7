/** The settings: their values, the effects of a change, and who can make one. */

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { sharedFolder } from '../new-folder.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { eventually } from '../wait.ts'
import { expectAccessible, expectGood, openView } from './open-page.ts'
import { browser } from './shared-browser.ts'

const settingsFile = join(sharedFolder(), 'server-settings.json')
writeFileSync(settingsFile, '{\n  // ours\n  "server": { "maxPlayers": 10, "adminSteamIds": ["1"] }\n}\n')
const server = await nodeServer({ settingsFile })
afterAll(() => server.stop())

async function openSettings(of: Parameters<typeof openView>[1] = server) {
  const opened = await openView(browser, of, 'settings')
  await opened.page.getByText('Maximum players').waitFor()
  return opened
}

test('a change shows what will be saved, and then what the server saved and when it takes effect', async () => {
  const opened = await openSettings()
  const { page } = opened
  const before = readFileSync(settingsFile, 'utf8')
  await page.getByLabel('Maximum players').fill('6')
  await page.getByLabel('Farm name').fill('Clover')
  await page.getByText('Maximum players: 10 → 6').waitFor()
  expect(readFileSync(settingsFile, 'utf8')).toBe(before)
  await page.getByRole('button', { name: 'Save 2 changes' }).click()
  const reported = page.locator('.settings .confirmed')
  await reported.getByText('Maximum players: 6 – takes effect when the world is reloaded').waitFor()
  await reported.getByText('Farm name: Clover – takes effect with the next new world').waitFor()
  const after = readFileSync(settingsFile, 'utf8')
  expect(after).toContain('"maxPlayers": 6, "adminSteamIds": ["1"]')
  expect(after).toContain('// ours')
  await expectAccessible(opened)
  await expectGood(opened)
})

test('the world is reloaded after the page explained what that does; connected players are reported', async () => {
  await server.farm.join({ id: 6208260877024290921n, name: 'Abby' })
  const { page } = await openSettings()
  await page.getByLabel('Separate wallets').selectOption('true')
  await page.getByLabel('Cabins', { exact: true }).selectOption('FarmhouseStack')
  await page.getByRole('button', { name: 'Save 2 changes' }).click()
  await page.getByRole('button', { name: 'Reload the world' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('All players must have left').waitFor()
  await dialog.getByRole('button', { name: 'Reload the world' }).click()
  await dialog.getByRole('alert').getByText('Players are online.').waitFor()
  const { players } = await server.bridge.players()
  for (const { id } of players) await server.farm.leave(id)
  await dialog.getByRole('button', { name: 'Reload the world' }).click()
  await eventually(async () => expect(await dialog.innerText()).toContain('The world is reloaded.'))
})

test('settings with unknown values stay as they are until they are chosen', async () => {
  const { page } = await openSettings()
  const server = page.locator('section').filter({ hasText: 'Most of these take effect' })
  await server.getByText('More settings').click()
  await page.getByLabel('Verbose game log').selectOption('true')
  await page.getByLabel('Steam ids of admins').fill('76561198000000001, 76561198000000002')
  await page.getByRole('button', { name: 'Save 2 changes' }).click()
  await page.locator('.settings .confirmed').waitFor()
  const saved = readFileSync(settingsFile, 'utf8')
  expect(saved).toMatch(/"verboseLogging": true/i)
  expect(saved).toMatch(/"adminSteamIds": \[\s*"76561198000000001",\s*"76561198000000002"\s*\]/)
  expect(saved).not.toMatch(/lobbyMode/i)
})

test('a simultaneous change by another person is reported, and saving again keeps both changes', async () => {
  const { page } = await openSettings()
  // The moment between reading and writing cannot be hit from outside, so the test answers instead of the server.
  await page.route(
    `${server.url}/settings`,
    (route) =>
      route.fulfill({
        status: 409,
        json: { success: false, error: 'changed meanwhile', code: 'settings_changed', retry: true },
      }),
    { times: 1 },
  )
  await page.getByLabel('Maximum players').fill('7')
  await page.getByRole('button', { name: 'Save 1 change' }).click()
  const alert = page.getByRole('alert')
  await alert.getByText('Your changes were not saved.').waitFor()
  expect(await page.getByLabel('Maximum players').inputValue()).toBe('7')
  writeFileSync(settingsFile, readFileSync(settingsFile, 'utf8').replace('"Clover"', '"Thistle"'))
  await alert.getByRole('button', { name: 'Try again' }).click()
  await page.locator('.settings .confirmed').getByText('Maximum players: 7').waitFor()
  expect(await page.getByLabel('Farm name').inputValue()).toBe('Thistle')
})

test('an unusable file is reported with the reason of the server', async () => {
  const text = readFileSync(settingsFile, 'utf8')
  onTestFinished(() => writeFileSync(settingsFile, text))
  const { page } = await openSettings()
  writeFileSync(settingsFile, '{ broken')
  await page.getByLabel('Maximum players').fill('9')
  await page.getByRole('button', { name: 'Save 1 change' }).click()
  const alert = page.getByRole('alert')
  await alert.getByText('cannot read or write server-settings.json. The file is unchanged.').waitFor()
  await alert.getByText('nothing was changed').waitFor()
})
