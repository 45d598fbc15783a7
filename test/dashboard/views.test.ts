/** What the views do: each change is confirmed by the server before the page shows it. */
import { afterAll, expect, test } from 'vitest'
import { askWithKey } from '../contract/request.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { expectAccessible, expectGood, openView } from './open-page.ts'
import { browser } from './shared-browser.ts'

const abby = { id: 6208260877024290921n, name: 'Abby' }
const server = await nodeServer()
await server.farm.join(abby)
afterAll(() => server.stop())

test('a farmhand is deleted only after its name was typed, and not while its player is online', async () => {
  const { page } = await openView(browser, server, 'people')
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
  const { page } = await openView(browser, server, 'keys')
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

async function openControls() {
  const opened = await openView(browser, server, 'controls')
  const form = (title: string) =>
    opened.page.locator('form').filter({ has: opened.page.getByRole('heading', { name: title }) })
  await form('Time of day').waitFor()
  return { ...opened, form }
}

test('the time starts with that of the farm, previews the jump, and then shows the new time', async () => {
  await askWithKey(server, 'POST', '/time?value=1310')
  const opened = await openControls()
  const form = opened.form('Time of day')
  await form.getByText('It is 1:10 PM.').waitFor()
  expect(await form.getByRole('combobox').inputValue()).toBe('1310')
  await form.getByRole('combobox').selectOption('1500')
  await form.getByText('It is 1:10 PM. The clock will jump to 3:00 PM for all players.').waitFor()
  expect((await askWithKey(server, 'GET', '/status')).json).toMatchObject({ timeOfDay: 1310 })
  await form.getByRole('button', { name: 'Set' }).click()
  await form.getByText('It is 3:00 PM now.').waitFor()
  await expectAccessible(opened)
  await expectGood(opened)
})

test('the display starts with the rate of the server, and shows what the server confirmed', async () => {
  await askWithKey(server, 'POST', '/rendering?fps=15')
  const { form: of } = await openControls()
  const form = of('Server rendering')
  await form.getByText('The server renders 15 frames per second.').waitFor()
  expect(await form.getByRole('combobox').inputValue()).toBe('15')
  await form.getByRole('combobox').selectOption('0')
  await form.getByText('The server will stop rendering').waitFor()
  await form.getByRole('button', { name: 'Set' }).click()
  await form.getByRole('status').getByText('Rendering is off.').waitFor()
  expect((await askWithKey(server, 'GET', '/rendering')).json).toEqual({ fps: 0 })
})

test('the speed, which the game does not report, must be chosen first', async () => {
  const { form: of } = await openControls()
  const form = of('Clock speed')
  await form.getByRole('button', { name: 'Set' }).click()
  expect(
    await form.getByRole('combobox').evaluate((one: HTMLSelectElement) => one.validity.valueMissing),
  ).toBe(true)
  await form.getByRole('combobox').selectOption('2')
  await form.getByText('Time will pass at 2 × the normal speed').waitFor()
  await form.getByRole('button', { name: 'Set' }).click()
  await form.getByText('Time passes at 2 × the normal speed.').waitFor()
})

test('a failure is reported at its control', async () => {
  const { form: of } = await openControls()
  const form = of('Time of day')
  await form.getByRole('combobox').selectOption('1600')
  await server.farm.save()
  await form.getByRole('button', { name: 'Set' }).click()
  await form.getByRole('alert').waitFor()
  expect(await of('Server rendering').getByRole('alert').count()).toBe(0)
})
