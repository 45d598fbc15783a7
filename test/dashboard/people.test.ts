/** The people: who was there when, and what can be done with a farmhand. */
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { GameError } from '../../handlers/game-error.ts'
import { launchBrowser, type RunningBrowser } from '../browser.ts'
import { askWithKey } from '../contract/request.ts'
import { type NodeServer, nodeServer } from '../runtime/node/node-server.ts'
import { eventually } from '../wait.ts'
import { expectAccessible, expectGood, openPage } from './open-page.ts'
import { livePastDay } from './past-day.ts'

let running: RunningBrowser
let server: NodeServer
const abby = { id: 6208260877024290921n, name: 'Abby' }
beforeAll(async () => {
  running = await launchBrowser()
  server = await nodeServer()
  livePastDay(server.records, Date.now())
  await server.farm.join(abby)
  await server.farm.leave(abby.id)
})
afterAll(async () => {
  await running.close()
  await server.stop()
})

async function openPeople(of = server) {
  const opened = await openPage(running.browser, `${of.url}/#key=${of.key}`)
  await opened.page.getByText('Live', { exact: true }).waitFor()
  await opened.page.getByRole('link', { name: 'People' }).click()
  const farmhands = opened.page.locator('section').filter({ hasText: 'Farmhands' })
  const farmhand = (name: string) => farmhands.getByRole('listitem').filter({ hasText: name })
  await farmhand('Abby').waitFor()
  return { ...opened, farmhand }
}

test('everybody who has played stands there with minutes played, and opens to tell when', async () => {
  const opened = await openPeople()
  const { page } = opened
  const { json } = await askWithKey(server, 'GET', '/history/players')
  const { players } = json as { players: { name: string; minutesPlayed: number }[] }
  const everybody = page.locator('section').filter({ hasText: 'Who has played' })
  await eventually(async () => expect(await everybody.locator('.fold').count()).toBe(players.length))
  const sam = everybody.locator('.fold').filter({ hasText: '<b>Sam</b>' })
  expect(await sam.innerText()).toContain('2 visits')
  await sam.locator('summary').click()
  await eventually(async () => expect(await sam.getByRole('listitem').count()).toBe(2))
  expect(await sam.getByRole('listitem').first().innerText()).toMatch(/ – .* \(1 hr 42 min\)$/)
  await expectAccessible(opened)
  await expectGood(opened)
})

test('who comes and goes is told by itself, and a dialog to delete closes its button while the player is there', async () => {
  const { page, farmhand } = await openPeople()
  await farmhand('Abby').getByText('Not here').waitFor()
  await farmhand('Abby').getByRole('button', { name: 'Delete' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Type the name').fill('Abby')
  expect(await dialog.getByRole('button', { name: 'Delete' }).isEnabled()).toBe(true)
  await server.farm.join(abby)
  await dialog.getByText('Not while the player is on the farm').waitFor()
  expect(await dialog.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true)
  await dialog.getByRole('button', { name: 'Close' }).click()
  await farmhand('Abby').getByText('On the farm now').waitFor()
  await server.farm.leave(abby.id)
  await farmhand('Abby').getByText('Not here').waitFor()
})

test('a player who is there is made an admin after it was said what that does', async () => {
  const { page, farmhand } = await openPeople()
  await server.farm.join(abby)
  onTestFinished(() => void server.farm.leave(abby.id))
  await farmhand('Abby').getByRole('button', { name: 'Make admin' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('may then use the commands of an admin').waitFor()
  expect(server.farm.isAdmin(abby.id)).toBe(false)
  await dialog.getByRole('button', { name: 'Make admin' }).click()
  await dialog.getByText('Abby is an admin now.').waitFor()
  expect(server.farm.isAdmin(abby.id)).toBe(true)
})

test('a farmhand is given to another account after it was said what that does', async () => {
  const { page, farmhand } = await openPeople()
  await farmhand('Abby').getByRole('button', { name: 'Change account' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('only it can play this farmhand').waitFor()
  await dialog.getByLabel('Id of the account').fill(' 76561198000000001 ')
  await dialog.getByRole('button', { name: 'Change account' }).click()
  await dialog.getByText('Abby belongs to the account 76561198000000001 now.').waitFor()
})

test('a game server that cannot give a farmhand away is told as such, and it is not offered again', async () => {
  const game = {
    ...server.bridge,
    rebindFarmhand: async () => {
      throw new GameError({ kind: 'unsupported', what: 'rebind a farmhand' })
    },
  }
  const other = await nodeServer({ server: { game } })
  onTestFinished(() => other.stop())
  const { page, farmhand } = await openPeople(other)
  await farmhand('Abby').getByRole('button', { name: 'Change account' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Id of the account').fill('76561198000000001')
  await page.keyboard.press('Enter')
  await dialog.getByRole('alert').getByText('farmhand rebind').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await farmhand('Abby').getByRole('button', { name: 'Delete' }).waitFor()
  await eventually(async () =>
    expect(await page.getByRole('button', { name: 'Change account' }).count()).toBe(0),
  )
})
