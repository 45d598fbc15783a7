/** The controls: they start with the current values, preview a change, and then show what the server confirmed. */

import { afterAll, expect, test } from 'vitest'
import { askWithKey } from '../contract/request.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { expectAccessible, expectGood, openPage } from './open-page.ts'
import { browser } from './shared-browser.ts'

const server = await nodeServer()
afterAll(() => server.stop())

async function openControls(key = server.key) {
  const opened = await openPage(browser, `${server.url}/#key=${key}`)
  await opened.page.getByText('Live', { exact: true }).waitFor()
  await opened.page.getByRole('link', { name: 'Controls' }).click()
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
