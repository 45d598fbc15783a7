/** What a person sees at a glance: rows with subject and action, grouped lines, and links onward. */

import { afterAll, expect, onTestFinished, test } from 'vitest'
import { askWithKey } from '../contract/request.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { eventually } from '../wait.ts'
import { expectAccessible, expectGood, goTo, openPage, openView } from './open-page.ts'
import { livePastDay } from './past-day.ts'
import { browser } from './shared-browser.ts'

const abby = { id: 6208260877024290921n, name: 'Abby' }
const robin = { id: 6208260877024290922n, name: 'Robin' }
const server = await nodeServer()
livePastDay(server.records, Date.now())
await server.farm.join(abby)
afterAll(() => server.stop())

async function open(view: string, look?: Parameters<typeof openPage>[2], of = server) {
  if (look === undefined) return openView(browser, of, view)
  const opened = await openPage(browser, `${of.url}/#key=${of.key}`, look)
  await opened.page.locator('[data-line=live]').waitFor()
  await goTo(opened, view)
  return opened
}

test("the farm shows the latest events, the players of a day, the newest messages, the last backup and the doctor's findings", async () => {
  await server.farm.say(abby.id, 'a line for the farm view')
  const opened = await open('farm')
  const { page } = opened
  const card = (name: string) => page.locator('.card').filter({ has: page.getByRole('heading', { name }) })
  await card('Recent events').getByText('joined').first().waitFor()
  await card('Recent events').getByText('Spring 8, year 2 began').waitFor()
  await page.getByRole('img', { name: /^Players in the last 24 hours: .* at most 3$/ }).waitFor()
  const ofDay = card('Players, last 24 hours')
  expect(await ofDay.locator('.axis > span').allInnerTexts()).toEqual(['3', '2', '1', '0'])
  const times = await ofDay.locator('.ticks > span').allInnerTexts()
  expect(times.length).toBeGreaterThan(2)
  for (const time of times) expect(time).toMatch(/^\d+:00 [AP]M$/)
  await card('Latest messages').getByText('a line for the farm view').waitFor()
  await card('State of the farm').getByText('Last backup').waitFor()
  await card('State of the farm')
    .getByText(/problems?: .*Backups/)
    .waitFor()
  await expectAccessible(opened)
  await expectGood(opened)
})

test('lines of one author are below one name, and joins and leaves between the lines', async () => {
  const opened = await open('chat')
  const { page } = opened
  const log = page.getByRole('log')
  await server.farm.say(abby.id, 'first of three')
  await server.farm.say(abby.id, 'second of three')
  await log.getByText('second of three').waitFor()
  const same = (text: string) => log.locator('.said').filter({ hasText: text }).getAttribute('data-same')
  expect(await same('second of three')).toBe('true')
  await server.farm.join(robin)
  await log
    .locator('.happening')
    .filter({ hasText: /Robin joined/ })
    .waitFor()
  await server.farm.say(abby.id, 'third of three')
  await log.getByText('third of three').waitFor()
  expect(await same('third of three')).toBe('false')
  await server.farm.leave(robin.id)
  await log
    .locator('.happening')
    .filter({ hasText: /Robin left/ })
    .waitFor()
  await expectAccessible(opened)
})

test('a row of the audit shows the request, its values and the caller, and marks your own key as yours', async () => {
  await askWithKey(server, 'POST', '/time?value=1230')
  const { page } = await open('audit')
  await eventually(async () =>
    expect(await page.locator('.fold').first().innerText()).toMatch(
      /Set the time 12:30 PM\s+API_KEY \(you\)\s+Done/,
    ),
  )
  await askWithKey(server, 'PATCH', '/settings', { json: { server: { maxPlayers: 9 } } })
  await page.getByRole('button', { name: 'Show newer entries' }).click()
  await page.locator('.fold').getByText('Change settings maxPlayers 9').waitFor()
})

test('a finding of the doctor links to the view with more', async () => {
  const { page } = await open('doctor')
  await page
    .locator('.findings li')
    .filter({ hasText: 'Backups' })
    .getByRole('link', { name: 'Backups' })
    .click()
  await page.locator('nav a[href="#/backups"][aria-current=page]').waitFor()
})

test('settings without a mounted file cannot be saved, and the bar with the button says so and what to mount', async () => {
  const { page } = await open('settings')
  await page.getByLabel('Maximum players').fill('9')
  await page.getByRole('button', { name: 'Save 1 change' }).click()
  const alert = page.locator('.changes').getByRole('alert')
  await alert.getByText('Not available here.').waitFor()
  await alert.getByText('set SETTINGS_PATH').waitFor()
})

test('in a British browser times have 24 hours', async () => {
  const { page } = await open('controls', { locale: 'en-GB' })
  await askWithKey(server, 'POST', '/time?value=1500')
  await page.getByText('It is 15:00.').waitFor()
})

test('a farm that has run for a day is not drawn at the edge of a month', async () => {
  const opened = await open('history')
  const { page } = opened
  await page.getByLabel('A month', { exact: true }).check()
  await page.locator('main [aria-busy=true]').waitFor({ state: 'detached' })
  const starts = await page
    .locator('.timeline .visit')
    .evaluateAll((paths) =>
      paths.flatMap((one) =>
        [...(one.getAttribute('d') ?? '').matchAll(/M(\d+)/g)].map(([, at]) => Number(at)),
      ),
    )
  expect(Math.min(...starts)).toBeLessThan(200)
  await expectGood(opened)
})

test('Chinese dates of the game and lengths of time have no spaces', async () => {
  const { page } = await open('history', { locale: 'zh-CN' })
  await page.locator('summary').filter({ hasText: '游戏日' }).click()
  await page.getByRole('row').filter({ hasText: '第2年春季8日' }).first().waitFor()
  await page.evaluate(() => location.assign('#/people'))
  await page
    .locator('main')
    .getByText(/\d小时\d+分钟/)
    .first()
    .waitFor()
  expect(await page.locator('main').innerText()).not.toMatch(/小时 \d/)
})

test('of a hundred players the farm shows the first twelve, and all on request', async () => {
  const players = Array.from({ length: 100 }, (_, at) => ({
    id: BigInt(at + 1),
    name: `Farmer ${at + 1}`,
    isOnline: true,
  }))
  const { bridge } = server
  const record = async () => ({ ...(await bridge.players()), players })
  const full = await nodeServer({ server: { game: { ...bridge, players: record } } })
  onTestFinished(() => full.stop())
  const { page } = await open('farm', undefined, full)
  const rows = page.locator('.on-the-farm li')
  await eventually(async () => expect(await rows.count()).toBe(12))
  await page.getByRole('button', { name: 'Show 88 more' }).click()
  expect(await rows.count()).toBe(100)
})
