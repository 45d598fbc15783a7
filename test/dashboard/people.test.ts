/** The people: their sessions, and the actions on a farmhand. */

import { afterAll, expect, onTestFinished, test } from 'vitest'
import { FarmError } from '../../handlers/farm-error.ts'
import { askWithKey } from '../contract/request.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { eventually } from '../wait.ts'
import { expectAccessible, expectGood, openView } from './open-page.ts'
import { livePastDay } from './past-day.ts'
import { browser } from './shared-browser.ts'

const abby = { id: 6208260877024290921n, name: 'Abby' }
const server = await nodeServer()
livePastDay(server.records, Date.now())
await server.farm.join(abby)
await server.farm.leave(abby.id)
afterAll(() => server.stop())

async function openPeople(of = server) {
  const opened = await openView(browser, of, 'people')
  const person = opened.page
    .locator('main .fold')
    .filter({ has: opened.page.getByText('Abby', { exact: true }) })
    .filter({ has: opened.page.locator('.menu') })
  await person.waitFor()
  const openMenu = () => person.getByLabel('Actions for Abby').click()
  return { ...opened, person, openMenu }
}

test('each person has one row, as a farmhand, an earlier visitor, or both, and it opens to show the sessions', async () => {
  const opened = await openPeople()
  const { page } = opened
  const { json } = await askWithKey(server, 'GET', '/history/players')
  const { players } = json as { players: { name: string; minutesPlayed: number }[] }
  const { json: owned } = await askWithKey(server, 'GET', '/farmhands')
  const { farmhands } = owned as { farmhands: { isCustomized: boolean }[] }
  const everyone = page.locator('main .fold')
  const claimed = farmhands.filter(({ isCustomized }) => isCustomized).length
  // Abby in the history has another id than the one with a farmhand, who has not played since records began.
  await eventually(async () => expect(await everyone.count()).toBe(players.length + claimed))
  const sam = everyone.filter({ hasText: '<b>Sam</b>' })
  expect(await sam.innerText()).toContain('2 visits')
  await sam.locator('summary').click()
  await eventually(async () => expect(await sam.getByRole('listitem').count()).toBe(2))
  expect(await sam.getByRole('listitem').first().innerText()).toMatch(/ – .* \(1 hr 42 min\)$/)
  await expectAccessible(opened)
  await expectGood(opened)
})

test('joins and leaves are shown without a reload, and a dialog to delete disables its button while the player is online', async () => {
  const { page, person, openMenu } = await openPeople()
  // The dialog and the button's hint mention “online” too.
  const online = person.locator('.what').getByText('Online')
  await online.waitFor({ state: 'detached' })
  await openMenu()
  await person.getByRole('button', { name: 'Delete' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Type the name').fill('Abby')
  expect(await dialog.getByRole('button', { name: 'Delete' }).isEnabled()).toBe(true)
  await server.farm.join(abby)
  await dialog.getByText('Not while the player is online').waitFor()
  expect(await dialog.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true)
  await dialog.getByRole('button', { name: 'Close' }).click()
  await online.waitFor()
  await server.farm.leave(abby.id)
  await online.waitFor({ state: 'detached' })
})

test('a connected player becomes an admin after the page explained what that does', async () => {
  const { page, person, openMenu } = await openPeople()
  await server.farm.join(abby)
  onTestFinished(() => void server.farm.leave(abby.id))
  // A row that moves closes its menu.
  await person.locator('.what').getByText('Online').waitFor()
  await openMenu()
  await person.getByRole('button', { name: 'Make admin' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('can then use admin commands').waitFor()
  expect(server.farm.isAdmin(abby.id)).toBe(false)
  await dialog.getByRole('button', { name: 'Make admin' }).click()
  await dialog.getByText('Abby is an admin now.').waitFor()
  expect(server.farm.isAdmin(abby.id)).toBe(true)
})

test('a farmhand moves to another account after the page explained what that does', async () => {
  const { page, person, openMenu } = await openPeople()
  await openMenu()
  await person.getByRole('button', { name: 'Change account' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('only that account can play the farmhand').waitFor()
  await dialog.getByLabel('Account id').fill(' 76561198000000001 ')
  await dialog.getByRole('button', { name: 'Change account' }).click()
  await dialog.getByText('Abby belongs to the account 76561198000000001 now.').waitFor()
})

test('a game server that cannot reassign a farmhand is reported as such, and the button is not offered again', async () => {
  const game = {
    ...server.bridge,
    rebindFarmhand: async () => {
      throw new FarmError({ kind: 'unsupported', what: 'rebind a farmhand' })
    },
  }
  const other = await nodeServer({ server: { game } })
  onTestFinished(() => other.stop())
  const { page, person, openMenu } = await openPeople(other)
  await openMenu()
  await person.getByRole('button', { name: 'Change account' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Account id').fill('76561198000000001')
  await page.keyboard.press('Enter')
  await dialog.getByRole('alert').getByText('farmhand rebind').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await person.getByRole('button', { name: 'Delete' }).waitFor()
  await eventually(async () =>
    expect(await page.getByRole('button', { name: 'Change account' }).count()).toBe(0),
  )
})
