/** The view of the schedules: made with cron or without it, shown in two time zones, run, turned off and deleted. */
import { afterAll, afterEach, expect, onTestFinished, test } from 'vitest'
import { noHost } from '../../services/host/no-host.ts'
import { askWithKey } from '../contract/request.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { expectAccessible, expectGood, openView } from './open-page.ts'
import { browser } from './shared-browser.ts'

const server = await nodeServer()
afterAll(() => server.stop())
afterEach(async () => {
  for (const { id } of await listed()) await askWithKey(server, 'DELETE', `/schedules?id=${id}`)
})
const listed = async () =>
  (
    (await askWithKey(server, 'GET', '/schedules')).json as {
      readonly schedules: readonly { readonly id: string }[]
    }
  ).schedules

/** The browser is in Berlin. */
async function open(of: Parameters<typeof openView>[1] = server) {
  const opened = await openView(browser, of, 'schedules')
  await opened.page.locator('main [aria-busy=false]').waitFor({ state: 'attached' })
  return opened
}

test('the common schedules are made without cron, and shown in words', async () => {
  const opened = await open()
  const { page } = opened
  const make = page.getByRole('button', { name: 'Create a schedule' })
  await page.getByText('No schedules yet.').waitFor()
  await make.click()
  const restart = page.locator('.fold').filter({ hasText: 'Restart each night when empty' })
  await restart.getByText('every day at 5:00 AM').first().waitFor()
  await page.getByRole('combobox', { name: 'What' }).selectOption('Back up every few hours')
  await make.click()
  await page.locator('.fold').getByText('every 6 hours').first().waitFor()
  await page.getByRole('combobox', { name: 'What' }).selectOption('Announce at a time')
  await page.getByLabel('Time', { exact: true }).fill('18:30')
  await page.getByLabel('Message').fill('Game night!')
  await page.getByLabel('Name').fill('Friday')
  await make.click()
  await page
    .locator('.fold')
    .filter({ hasText: 'Friday' })
    .getByText('every day at 6:30 PM')
    .first()
    .waitFor()
  expect(await listed()).toMatchObject([
    { cron: '0 5 * * *', timeZone: 'Europe/Berlin', do: { action: 'restart' }, onlyWhenEmpty: true },
    { cron: '0 */6 * * *', do: { action: 'backup' } },
    { name: 'Friday', cron: '30 18 * * *', do: { action: 'announce', message: 'Game night!' } },
  ])
  await expectAccessible(opened)
  await expectGood(opened)
})

test("with cron any action and time can be chosen, and the server's refusal is shown", async () => {
  const { page } = await open()
  const make = page.getByRole('button', { name: 'Create a schedule' })
  await page.getByRole('combobox', { name: 'What' }).selectOption('Advanced, with cron')
  await page.getByRole('combobox', { name: 'Action' }).selectOption('Set server rendering')
  await page.getByLabel('Value').fill('0')
  await page.getByLabel('Cron expression').fill('0 25 * * *')
  await make.click()
  await page.getByRole('alert').getByText("Member 'cron' must be").waitFor()
  // Not every five hours: at 0, 5, 10, 15, 20 and again at 0.
  await page.getByLabel('Cron expression').fill('0 */5 * * *')
  expect(await page.getByLabel('Name').getAttribute('placeholder')).toBe('Set server rendering')
  await make.click()
  const row = page.locator('.fold').filter({ hasText: 'Set server rendering' })
  await row.getByText('0 */5 * * *').first().waitFor()
  expect(await listed()).toMatchObject([
    { name: 'Set server rendering', cron: '0 */5 * * *', do: { action: 'rendering', fps: 0 } },
  ])
})

test('the next run is shown in the zone of the schedule and in that of the viewer', async () => {
  const morning = { name: 'Morning in Tokyo', cron: '0 5 * * *', timeZone: 'Asia/Tokyo' }
  await askWithKey(server, 'POST', '/schedules', { json: { ...morning, do: { action: 'backup' } } })
  const { page } = await open()
  const row = page.locator('.fold').filter({ hasText: 'Morning in Tokyo' })
  // One clock in each line: that of the schedule, where it is another than the viewer's.
  expect(await row.locator('summary .quiet').innerText()).toMatch(
    /every day at 5:00 AM \(Asia\/Tokyo\) · next: .*, 5:00 AM$/,
  )
  await row.locator('summary').click()
  await row.getByText(/, 5:00 AM \(Asia\/Tokyo\)/).waitFor()
  await row.getByText(/, (9|10):00 PM \(your time\)/).waitFor()
})

test('a run that began an operation leads to its end in the view Server', async () => {
  const nightly = { name: 'Nightly', cron: '0 5 * * *', do: { action: 'stop' }, warnMinutes: [] }
  await askWithKey(server, 'POST', '/schedules', { json: nightly })
  const { page } = await open()
  const row = page.locator('.fold').filter({ hasText: 'Nightly' })
  await row.locator('summary').click()
  await row.getByRole('button', { name: 'Run now' }).click()
  await row.locator('.tag').getByText('begun').waitFor()
  await row.getByRole('link', { name: 'How it ended' }).click()
  await page.locator('.fold').filter({ hasText: 'Stop the game' }).getByText('Done').first().waitFor()
})

test('a schedule is run now with its outcome, turned off and on, and deleted after a confirmation', async () => {
  const announcement = { action: 'announce', message: 'hello from a schedule' }
  const hello = { name: 'Hello', cron: '0 5 * * *', do: announcement }
  await askWithKey(server, 'POST', '/schedules', { json: hello })
  const opened = await open()
  const { page } = opened
  const row = page.locator('.fold').filter({ hasText: 'Hello' })
  await row.locator('summary').click()
  await row.getByText('has not run yet').waitFor()
  await row.getByRole('button', { name: 'Run now' }).click()
  await row.locator('.tag').getByText('succeeded').waitFor()
  await row.getByRole('button', { name: 'Turn off' }).click()
  await row.locator('.tag').getByText('off', { exact: true }).waitFor()
  expect(await listed()).toMatchObject([{ enabled: false, nextAt: null }])
  await row.getByRole('button', { name: 'Turn on' }).click()
  await row.getByText('Next run').waitFor()
  await expectAccessible(opened)
  await row.getByRole('button', { name: 'Delete…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No schedules yet.').waitFor()
  expect(await listed()).toEqual([])
  await expectGood(opened)
})

test('without GAME_HOST the game cannot be scheduled', async () => {
  const server = await nodeServer({ server: { host: noHost } })
  onTestFinished(() => server.stop())
  const { page } = await open(server)
  const kinds = await page.getByRole('combobox', { name: 'What' }).locator('option').allInnerTexts()
  expect(kinds).toEqual(['Back up every few hours', 'Announce at a time', 'Advanced, with cron'])
})
