/** What the views do: each change is confirmed by the server before the page shows it. */

import { afterAll, expect, test } from 'vitest'
import { askWithKey } from '../contract/request.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { expectGood, openPage } from './open-page.ts'
import { browser } from './shared-browser.ts'

const abby = { id: 6208260877024290921n, name: 'Abby' }
const server = await nodeServer()
await server.farm.join(abby)
afterAll(() => server.stop())

async function openView(name: string) {
  const opened = await openPage(browser, `${server.url}/#key=${server.key}`)
  await opened.page.getByText('Live', { exact: true }).waitFor()
  await opened.page.getByRole('link', { name, exact: true }).click()
  return opened
}

test("a line said on the page appears in the game and then on the page, and a player's line appears without a reload", async () => {
  const opened = await openView('Chat')
  const { page } = opened
  await page.getByLabel('Your name in the game').fill('Robin')
  await page.getByLabel('Message').fill('hello from the page')
  await page.keyboard.press('Enter')
  await page.getByRole('log').getByText('hello from the page').waitFor()
  expect(server.farm.relayed()).toContainEqual(
    expect.objectContaining({ author: 'Robin', message: 'hello from the page' }),
  )
  await server.farm.say(abby.id, 'hello from the game')
  await page.getByRole('log').getByText('hello from the game').waitFor()
  await expectGood(opened)
})

test('the time is set, and the page shows what the server confirmed', async () => {
  const { page } = await openView('Controls')
  await page.getByLabel('Time of day').selectOption('1400')
  await page.getByRole('button', { name: 'Set' }).first().click()
  await page.getByText('It is 2:00 PM now.').waitFor()
  const { json } = await askWithKey(server, 'GET', '/status')
  expect(json).toMatchObject({ timeOfDay: 1400 })
})

test('a farmhand is deleted only after its name was typed, and not while its player is online', async () => {
  const { page } = await openView('People')
  const row = page.locator('main .fold').filter({ hasText: 'Abby' })
  await row.getByLabel('Actions for Abby').click()
  expect(await row.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true)
  await server.farm.leave(abby.id)
  await row.getByRole('button', { name: 'Delete', disabled: false }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Type the name').fill('abb')
  expect(await dialog.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true)
  await dialog.getByLabel('Type the name').fill('Abby')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await row.waitFor({ state: 'detached' })
  const { text } = await askWithKey(server, 'GET', '/farmhands')
  expect(text).not.toContain('Abby')
})

test('a key is made, shown once and revoked', async () => {
  const { page } = await openView('Keys')
  await page.getByLabel('Name of the person or program').fill('Robin, moderator')
  await page.getByLabel('control').check()
  await page.getByRole('button', { name: 'Create a key' }).click()
  const dialog = page.getByRole('dialog')
  const key = (await dialog.locator('.secret').textContent()) ?? ''
  expect((await askWithKey({ ...server, key }, 'GET', '/keys/own')).json).toMatchObject({
    name: 'Robin, moderator',
    scopes: ['read', 'chat', 'control'],
  })
  await dialog.getByRole('button', { name: 'Close' }).click()
  await page.getByText(key).waitFor({ state: 'detached' })
  await page.getByRole('listitem').filter({ hasText: 'Robin, moderator' }).getByRole('button').click()
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('No named keys yet.').waitFor()
  expect((await askWithKey({ ...server, key }, 'GET', '/keys/own')).status).toBe(401)
})
