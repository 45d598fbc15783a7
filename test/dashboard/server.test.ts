/** The view of the game's process: its state, operations, log and console. */
import type { Route } from 'playwright-core'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import type { GameHost } from '../../handlers/game-host.ts'
import type { GameHostRecord } from '../../handlers/game-host-record.ts'
import { commandDriver } from '../../services/host/command-driver.ts'
import { noHost } from '../../services/host/no-host.ts'
import { noMods } from '../../services/mods/no-mods.ts'
import { askWithKey } from '../contract/request.ts'
import { newFolder } from '../new-folder.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { driverParts } from '../services/host/drivers.ts'
import { plainDriver } from '../services/host/plain-driver.ts'
import { undoneOperation } from '../services/host/stored-operation.ts'
import { eventually } from '../wait.ts'
import { commandGame } from './command-game.ts'
import { expectAccessible, expectGood, isLive, openPage, openView } from './open-page.ts'
import { livePastDay, resourceCharts } from './past-day.ts'
import { browser } from './shared-browser.ts'

/** With no one online. */
async function served(driver: GameHost) {
  const server = await nodeServer({ driver })
  onTestFinished(() => server.stop())
  for (const { id } of (await server.bridge.players()).players) await server.farm.leave(id)
  return server
}

/** A real running process behind `GAME_HOST=command`. */
async function servedGame() {
  const game = commandGame(newFolder())
  game.begin()
  onTestFinished(game.end)
  return { game, server: await served(commandDriver(game.variables, driverParts)) }
}

async function openServer(server: { readonly url: string; readonly key: string }) {
  const opened = await openView(browser, server, 'server')
  await opened.page.locator('.process').waitFor()
  return opened
}

test('a restart shows its effects on the players, then its steps, and ends as a row of the list', async () => {
  const { server } = await servedGame()
  await server.farm.join({ id: 11n, name: 'Abby' })
  await server.farm.join({ id: 12n, name: 'Robin' })
  const opened = await openServer(server)
  const { page } = opened
  await page.locator('.process').getByText('Running').waitFor()
  await page.getByRole('button', { name: 'Restart…' }).click()
  const dialog = page.getByRole('dialog')
  const will = dialog.locator('.will-happen li')
  expect(await will.allInnerTexts()).toEqual([
    'Players are warned in the chat: 10, 5, and 1 minutes before.',
    'farmgate makes a backup, where backups are set up.',
    'The game stops. The 2 players who are online are disconnected.',
    'The game starts. Players can join when the world is loaded.',
  ])
  await expectAccessible(opened)
  await dialog.getByLabel('When no players are online').check()
  expect((await will.allInnerTexts())[0]).toBe('farmgate waits until no players are online.')
  await dialog.getByLabel('Now').check()
  await dialog.getByLabel('Warn the players').selectOption('No warning')
  await dialog.getByLabel('Reason').fill('new mods')
  await dialog.getByRole('button', { name: 'Restart', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  const row = page.locator('.fold').filter({ hasText: 'Restart the game' })
  await row.locator('.tag').getByText('Done').waitFor()
  await row.locator('summary').click()
  await row.getByText('new mods').waitFor()
  for (const step of ['Stopping the game', 'Starting the game', 'Waiting for the game to respond'])
    await row.locator('.operation-steps').getByText(step).waitFor()
  await page.locator('.facts').getByText('Restarts today').waitFor()
  await expectAccessible(opened)
  await expectGood(opened)
})

test('an announced restart says when the game stops', async () => {
  const server = await served(plainDriver())
  await server.farm.join({ id: 11n, name: 'Abby' })
  await askWithKey(server, 'POST', '/host/restart', { json: { warnMinutes: [10, 5, 1] } })
  const { operations } = (await askWithKey(server, 'GET', '/host/operations')).json as {
    operations: { readonly stopsAt: string; readonly steps: readonly { readonly at: string }[] }[]
  }
  const { stopsAt = '', steps = [] } = operations[0] ?? {}
  expect(Date.parse(stopsAt) - Date.parse(steps[0]?.at ?? '')).toBe(600_000)
  const opened = await openServer(server)
  const clock = new Intl.DateTimeFormat('en-US', { timeStyle: 'short', timeZone: 'Europe/Berlin' })
  await opened.page.getByText(`The game stops at ${clock.format(Date.parse(stopsAt))}, or earlier`).waitFor()
  await expectAccessible(opened)
  await opened.page.getByRole('button', { name: 'Cancel' }).click()
  await opened.page.getByText('The game stops at').waitFor({ state: 'detached' })
})

test('an operation that waits for an empty farm shows its step, and can be cancelled', async () => {
  const server = await served(plainDriver())
  await server.farm.join({ id: 11n, name: 'Abby' })
  const opened = await openServer(server)
  const { page } = opened
  await page.getByRole('button', { name: 'Stop…' }).click()
  await page.getByRole('dialog').getByLabel('When no players are online').check()
  await page.getByRole('dialog').getByRole('button', { name: 'Stop', exact: true }).click()
  await page.getByText('Waiting for the right moment').waitFor()
  expect(await page.getByRole('button', { name: 'Restart…' }).count()).toBe(0)
  await expectAccessible(opened)
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.locator('.fold').filter({ hasText: 'Stop the game' }).getByText('Cancelled').first().waitFor()
  await page.getByRole('button', { name: 'Restart…' }).waitFor()
})

/** How often the page has requested this path. */
const count = ({ asked }: { readonly asked: readonly string[] }, path: string) =>
  asked.filter((url) => new URL(url).pathname === path).length

test('signing in does not wait for an inspection of the process', async () => {
  const server = await served(plainDriver())
  const opened = await openPage(browser, 'about:blank')
  await opened.page.route('**/keys/own', () => undefined)
  await opened.page.goto(`${server.url}/#key=${server.key}`)
  await eventually(() => expect(count(opened, '/host/operations')).toBe(1))
  expect(count(opened, '/host')).toBe(0)
})

test('while an operation runs its steps are read every second, one read at a time until the view is left, and the list of operations once', async () => {
  const server = await served(plainDriver())
  await server.farm.join({ id: 11n, name: 'Abby' })
  await askWithKey(server, 'POST', '/host/stop', { json: { when: 'empty' } })
  const opened = await openPage(browser, `${server.url}/#key=${server.key}`)
  const { page } = opened
  await isLive(opened)
  await page.clock.install()
  await page.getByRole('link', { name: 'Process', exact: true }).click()
  await page.getByText('Waiting for the right moment').waitFor()
  const [reads, lists] = [count(opened, '/host'), count(opened, '/host/operations')]
  let held: Route | undefined
  await page.route('**/host', (route) => {
    if (held !== undefined) return route.continue()
    held = route
  })
  await page.clock.runFor(10_000)
  await eventually(() => expect(held).toBeDefined())
  expect(count(opened, '/host')).toBe(reads + 1)
  await held?.continue()
  await eventually(async () => {
    await page.clock.runFor(1000)
    expect(count(opened, '/host')).toBeGreaterThan(reads + 4)
  })
  expect(count(opened, '/host/operations')).toBe(lists)
  held = undefined
  await eventually(() => expect(held).toBeDefined())
  const ended = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/host'))
  await page.getByRole('link', { name: 'Schedules', exact: true }).click()
  await ended
})

test('a failed operation shows why, and the last lines of the log', async () => {
  const driver = plainDriver()
  driver.instead.stop = () => Promise.reject(new Error('the engine is gone'))
  driver.print('an exception in the mod')
  const server = await served(driver)
  const { page } = await openServer(server)
  await page.getByRole('button', { name: 'Stop…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Stop', exact: true }).click()
  const row = page.locator('.fold').filter({ hasText: 'Stop the game' })
  await row.getByText('Failed').first().waitFor()
  await row.locator('summary').click()
  await row.locator('.trouble').waitFor()
  await row.locator('.printed').getByText('an exception in the mod').waitFor()
})

test('a failed operation that is undone says that the game plays the farm from before', async () => {
  const undone = undoneOperation('new_farm')
  const driven = await served(plainDriver())
  const { json } = await askWithKey(driven, 'GET', '/host')
  const host = { ...noHost, host: async () => json as GameHostRecord, operations: async () => [undone] }
  const server = await nodeServer({ server: { host } })
  onTestFinished(() => server.stop())
  const { page } = await openServer(server)
  const row = page.locator('.fold').filter({ hasText: 'Start a new farm' })
  await row.locator('summary').click()
  await row.locator('.trouble').getByText('no image').waitFor()
  await row.getByText('It is undone: the game plays the farm from before.').waitFor()
})

test('the view has a chart of each resource in the last hour', async () => {
  const { server } = await servedGame()
  livePastDay(server.records, Date.now())
  const opened = await openServer(server)
  for (const name of resourceCharts) await opened.page.getByRole('img', { name }).waitFor()
  await expectAccessible(opened)
  await expectGood(opened)
})

test('a stopped game can be started, and nothing else', async () => {
  const { game, server } = await servedGame()
  game.end()
  const { page } = await openServer(server)
  await page.locator('.process').getByText('Stopped').waitFor()
  expect(await page.getByRole('button', { name: /Stop…|Restart…/ }).count()).toBe(0)
  await page.getByRole('button', { name: 'Start…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Start', exact: true }).click()
  await page.locator('.process').getByText('Running').waitFor()
})

test('logs are in a fixed-width font', async () => {
  const driver = plainDriver()
  driver.print('a line of the log')
  const { page } = await openServer(await served(driver))
  const line = page.locator('.game-log .printed')
  await line.getByText('a line of the log').waitFor()
  expect(await line.evaluate((element) => getComputedStyle(element).fontFamily)).toMatch(/, monospace$/)
})

test('the log follows the game, can be searched and paused, and includes the lines from the pause', async () => {
  const { game, server } = await servedGame()
  const opened = await openServer(server)
  const { page } = opened
  const log = page.locator('.game-log')
  await log.getByText('Loaded the world, waiting for players').waitFor()
  game.print('Abby joined the farm')
  await log.getByText('Abby joined the farm').waitFor()
  await log.getByRole('button', { name: 'Pause' }).click()
  game.print('Robin joined the farm')
  await log.getByText('Paused: 1 new line').waitFor()
  expect(await log.getByText('Robin joined the farm').count()).toBe(0)
  await log.getByRole('button', { name: 'Resume' }).click()
  await log.getByText('Robin joined the farm').waitFor()
  await log.getByLabel('Search the log').fill('JOINED')
  await log.getByText('2 lines found').waitFor()
  expect(await log.locator('.printed li').count()).toBe(2)
  await expectAccessible(opened)
  await expectGood(opened)
})

test('a view that is not set up says what to set and why one would want it, for an admin, and is hidden for others', async () => {
  const server = await nodeServer({ server: { host: noHost, mods: noMods } })
  onTestFinished(() => server.stop())
  const opened = await openPage(browser, `${server.url}/#key=${server.key}`)
  const { page } = opened
  await isLive(opened)
  for (const [name, variable, why] of [
    ['Process', 'GAME_HOST', 'start, stop and restart the game'],
    ['Mods', 'MODS_DIR', 'which mods load'],
    ['Accounts', 'SIGN_IN_DISCORD_CLIENT_ID', 'Friends can sign in'],
  ] as const) {
    await page.getByRole('link', { name, exact: true }).click()
    await page.getByRole('heading', { name: 'Not set up' }).waitFor()
    await page.locator('main').getByText(variable).waitFor()
    await page.locator('main').getByText(why).waitFor()
    await expectAccessible(opened)
  }
  await expectGood(opened)
  const { key } = await server.records.of('local').makeKey({ name: 'reader', scopes: ['read'] })
  const reading = await openPage(browser, `${server.url}/#key=${key}`)
  await isLive(reading)
  const links = (await reading.page.locator('nav a').allInnerTexts()).map((name) => name.trim())
  expect(links).toEqual(expect.arrayContaining(['Cabins', 'Backups']))
  for (const name of ['Process', 'Mods', 'Accounts']) expect(links).not.toContain(name)
})

const driver = plainDriver()
const server = await nodeServer({ driver })
afterAll(() => server.stop())

test('a host that does not answer is shown as unknown, with what to check', async () => {
  driver.instead.inspect = () => Promise.reject(new Error('no socket'))
  onTestFinished(() => void delete driver.instead.inspect)
  const opened = await openServer(server)
  await opened.page.getByText('Check GAME_HOST and its variables').waitFor()
  await expectAccessible(opened)
})

test('the console sends a line, shows its output, and the arrow keys bring earlier lines back', async () => {
  const opened = await openServer(server)
  const { page } = opened
  const line = page.getByLabel('Console', { exact: true }).last()
  for (const typed of ['help', 'players']) {
    await line.fill(typed)
    await page.keyboard.press('Enter')
    await page.locator('.game-console .sent').getByText(typed, { exact: true }).waitFor()
    await eventually(async () => expect(await line.inputValue()).toBe(''))
  }
  expect(driver.asked).toEqual(['type help', 'type players'])
  const recalled = async (key: string) => {
    await line.press(key)
    return line.inputValue()
  }
  expect([await recalled('ArrowUp'), await recalled('ArrowUp'), await recalled('ArrowDown')]).toEqual([
    'players',
    'help',
    'players',
  ])
  expect(await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]))).not.toContain('players')
  await expectAccessible(opened)
  await expectGood(opened)
})

test('lines printed faster than they are sent leave a gap with their number', async () => {
  const { page } = await openServer(server)
  const gap = page.locator('.game-log .missing')
  await eventually(async () => {
    for (let line = 0; line < 2000; line += 1) driver.print(`flood ${line}`)
    expect(await gap.count()).toBeGreaterThan(0)
  })
  expect(await gap.first().innerText()).toMatch(/^[\d,]+ lines? (is|are) missing here\.$/)
})
