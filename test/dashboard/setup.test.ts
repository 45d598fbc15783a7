/** The set-up in the browser: from nothing to an invite code without a terminal, and its failures. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, expect, onTestFinished, test } from 'vitest'
import { Problem } from '../../handlers/problem.ts'
import type { SetupPort } from '../../handlers/setup.ts'
import { passSetup } from '../../services/ticket-service/pass-setup.ts'
import { clover } from '../backups/saved-farm.ts'
import { zippedSave } from '../backups/zipped-save.ts'
import { suiteKey } from '../contract/server-under-test.ts'
import { memoryFarm } from '../records/memory-records.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { serveGame } from '../ticket/depot/serve-game.ts'
import { environmentOf, type Served, serve } from '../ticket/process.ts'
import { makeSetting } from '../ticket/setting.ts'
import { eventually } from '../wait.ts'
import { expectAccessible, expectGood, openPage } from './open-page.ts'
import { browser } from './shared-browser.ts'

const setting = await makeSetting()
const cdn = await serveGame(setting.platform)
const { platform } = setting
afterAll(async () => {
  await setting.close()
  await cdn.close()
})
afterEach(() => {
  cdn.knobs.fault = () => undefined
})

/** An empty set-up: a ticket service in its own process, the control API, and a simulated game. */
async function emptySetUp() {
  const environment = environmentOf(platform, {
    SESSION_DIR: join(setting.folder(), 'session'),
    GAME_DIR: join(setting.folder(), 'game'),
  })
  let ticket: Served = await serve(environment)
  const port = new URL(ticket.base).port
  const own = await memoryFarm(suiteKey)
  const records = own.records.of('local')
  const setup = passSetup({ url: ticket.base, records })
  const api = await nodeServer({ server: { setup, records, keys: own.keys } })
  onTestFinished(async () => {
    await Promise.all([ticket.stop(), api.stop()])
  })
  const link = await eventually(() => {
    const [, code] = /#setup=([\w-]+)/.exec(ticket.stderr()) ?? []
    return code !== undefined && `#setup=${code}`
  })
  return {
    link: `${api.url}/${link}`,
    async restart() {
      await ticket.stop()
      ticket = await serve({ ...environment, PORT: port })
    },
  }
}

const qr = (page: Page) => page.locator('svg.qr').first()
const slow = () => {
  cdn.knobs.fault = ({ kind }) => (kind === 'chunk' ? { do: 'delay', milliseconds: 60_000 } : undefined)
}

test('on a phone and in Chinese, from nothing to an invite code without a terminal; a reload and a restart of the ticket service continue', async () => {
  const made = await emptySetUp()
  const opened = await openPage(browser, made.link, { size: 'phone', locale: 'zh-CN', colorScheme: 'dark' })
  const { page } = opened
  await page.getByRole('heading', { name: '登录 Steam' }).waitFor()
  expect(page.url()).not.toContain('setup')
  await qr(page).waitFor()
  // No password passes the page.
  expect(await page.locator('input').count()).toBe(0)
  const first = await qr(page).getAttribute('aria-label')
  await expectAccessible(opened)
  await expectGood(opened)
  platform.phone.rotate()
  await eventually(async () => (await qr(page).getAttribute('aria-label')) !== first)
  slow()
  platform.phone.approve(setting.account)
  await page.getByText('已批准的账户： junimo').waitFor()
  await page.getByText(/ \/ /).waitFor()
  await page.reload()
  await page.getByRole('progressbar').waitFor()
  await made.restart()
  cdn.knobs.fault = () => undefined
  await page.getByRole('heading', { name: '您的农场', exact: true }).waitFor()
  const name = page.getByLabel('农场名称')
  await name.fill('Clover')
  await page.getByRole('button', { name: '保存设置' }).waitFor()
  await page.locator('.invite .letters').first().waitFor()
  await expectAccessible(opened)
  await page.locator('.invite').getByText('QR', { exact: true }).first().click()
  await page.getByRole('dialog').locator('svg.qr').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: '前往农场' }).click()
  await page.getByRole('navigation').waitFor()
  await page.reload()
  await page.getByRole('navigation').waitFor()
})

/** A set-up that answers what the test says; a sign-in that begins shows a QR code. */
async function steeredSetUp(settingsFile?: string) {
  const { records, keys } = await memoryFarm(suiteKey)
  const shown: { view: SetupView; problem?: Problem | undefined } = { view: waiting }
  const begun: string[] = []
  const setup: SetupPort = {
    async pass(path, { method }) {
      if (shown.problem !== undefined) throw shown.problem
      if (method === 'POST') begun.push(path)
      if (path === '/setup/sign-in') shown.view = waiting
      return { view: shown.view }
    },
    makeKey: async () => ({ key: suiteKey }),
  }
  const api = await nodeServer({
    server: { records: records.of('local'), keys, setup },
    ...(settingsFile !== undefined && { settingsFile }),
  })
  onTestFinished(() => api.stop())
  return { api, link: `${api.url}/#setup=a-code-of-the-tests`, shown, begun }
}

async function openSteered() {
  const { link, ...made } = await steeredSetUp()
  const opened = await openPage(browser, link)
  await qr(opened.page).waitFor()
  return { ...opened, ...made }
}

type SetupView = Awaited<ReturnType<SetupPort['pass']>>['view']
const waiting: SetupView = {
  state: 'waiting',
  qr: { url: 'https://s.team/q/1/2', expiresAt: '2026-11-21T12:00:00.000Z' },
}
const failed = (code: NonNullable<SetupView['code']>): SetupView => ({ state: 'failed', code, error: 'why' })

test('the link leaves the address, the history of the tab, and the browser storage; a stopped game is started, the settings are saved, and a new world is created from them', async () => {
  const settingsFile = join(setting.folder(), 'server-settings.json')
  writeFileSync(settingsFile, '{"server":{"maxPlayers":10}}')
  const { api, link, shown } = await steeredSetUp(settingsFile)
  // A new world needs an empty farm, as a new one is.
  for (const { id } of (await api.bridge.players()).players) api.farm.leave(id)
  api.host.become('stopped')
  await api.farm.goOffline()
  const { page } = await openPage(browser, `${api.url}/`)
  await page.getByLabel('Key', { exact: true }).waitFor()
  await page.goto(link)
  await qr(page).waitFor()
  expect(page.url()).toBe(`${api.url}/`)
  await page.goBack()
  await page.goForward()
  expect(page.url()).not.toContain('setup')
  shown.view = { state: 'installed' }
  await page.getByRole('heading', { name: 'Your farm', exact: true }).waitFor()
  await page.getByText('The game is installed, but it is stopped.').waitFor()
  await page.getByRole('button', { name: 'Start the game' }).click()
  await eventually(() => api.host.asked.includes('start'))
  await api.farm.comeBack()
  await page.getByText('The game is running.').waitFor()
  // The game reads it only when it starts, from its environment.
  await page.getByText('No join password is set. To set one, add SERVER_PASSWORD to .env').waitFor()
  await page.getByLabel('Farm name').fill('Clover')
  await page.getByLabel('Maximum players').fill('6')
  await page.getByRole('button', { name: 'Save the settings' }).click()
  await page.getByText('The settings are saved.').waitFor()
  const saved = readFileSync(settingsFile, 'utf8')
  expect(saved).toMatch(/"farmName": *"Clover"/i)
  expect(saved).toMatch(/"maxPlayers": *6/)
  await page.getByRole('button', { name: 'Create the new world' }).click()
  await page.getByText('The new world is created.').waitFor()
  await page.getByRole('button', { name: 'Go to the farm' }).click()
  await page.getByRole('navigation').waitFor()
  const stored = await page.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }))
  expect(stored).not.toContain(link.split('=')[1])
  expect(await page.evaluate(() => document.cookie)).toBe('')
})

test('a farm that is brought along is added, and loading it asks who played its host', async () => {
  const { page, shown, api } = await openSteered()
  mkdirSync(api.saved.saves, { recursive: true })
  for (const { id } of (await api.bridge.players()).players) api.farm.leave(id)
  shown.view = { state: 'installed' }
  await page.getByText('Do you bring a farm along?').waitFor()
  await page.getByRole('button', { name: 'Add a save…' }).click()
  const dialog = page.getByRole('dialog')
  const buffer = await zippedSave({ ...clover, farmName: 'Thistle', farmId: 42, host: 'Robin' })
  await dialog
    .getByLabel(/^Zip with the save/)
    .setInputFiles({ name: 'Thistle_42.zip', mimeType: 'application/zip', buffer })
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await dialog.getByText('Thistle is added.').waitFor()
  await page.keyboard.press('Escape')
  const row = page.locator('.fold').filter({ hasText: 'Thistle' })
  await row.locator('summary').click()
  await row.getByRole('button', { name: 'Load…' }).click()
  const load = dialog.getByRole('button', { name: 'Load it' })
  await load.click()
  await dialog.getByRole('alert').filter({ hasText: 'Robin has hosted this save' }).waitFor()
  expect(api.host.asked).toEqual([])
  await dialog.getByLabel('Who played Robin?').selectOption({ label: 'Another account…' })
  await dialog.getByLabel('Steam64 or GOG id, digits only').fill('76561198385195600')
  await load.click()
  await eventually(() =>
    expect(api.host.asked).toEqual([
      'type saves import Thistle_42 --swap-host-to 76561198385195600 --reload',
    ]),
  )
})

test('each failed sign-in or download has its sentence, and a button that begins it again', async () => {
  const { page, shown, begun } = await openSteered()
  const notOwned = 'This account does not own Stardew Valley.'
  for (const [view, sentence, button, path] of [
    [{ state: 'no_licence', account: 'abigail' }, notOwned, 'Sign in with another account', 'sign-in'],
    [failed('wrong_account'), 'Another account was used. Scan the code with', 'Show a QR code', 'sign-in'],
    [failed('denied'), 'The sign-in was denied in the Steam app.', 'Show a QR code', 'sign-in'],
    [failed('qr_expired'), 'No one approved the sign-in in time.', 'Show a QR code', 'sign-in'],
    [failed('steam_offline'), 'Steam is unreachable.', 'Show a QR code', 'sign-in'],
    [failed('steam_rate_limited'), 'Steam asks to wait.', 'Show a QR code', 'sign-in'],
    [failed('not_saved'), 'The session could not be saved.', 'Show a QR code', 'sign-in'],
    [failed('disk_full'), 'The disk of the server is full.', 'Try again', 'download'],
    [failed('download_failed'), 'The download failed.', 'Try again', 'download'],
  ] as const) {
    shown.view = view
    await page.getByRole('alert').getByText(sentence).waitFor()
    if ('account' in view) await page.getByText('Approved account: abigail').waitFor()
    await page.getByRole('button', { name: button }).click()
    await eventually(() => expect(begun.splice(0)).toEqual([`/setup/${path}`]))
    if (path === 'sign-in') await qr(page).waitFor()
  }
})

test('while farmgate or the ticket service does not respond the page says so, until they are back; so it does for a link that has ended, that another browser uses, or whose set-up is complete', async () => {
  const { page, shown } = await openSteered()
  const trouble = page.getByRole('alert')
  await page.context().setOffline(true)
  await trouble.getByText('farmgate does not respond. The page retries automatically.').waitFor()
  await page.context().setOffline(false)
  await trouble.waitFor({ state: 'detached' })
  shown.problem = new Problem('ticket_service_unavailable', 'The ticket service does not answer')
  await trouble.getByText('The ticket service does not respond').waitFor()
  shown.problem = undefined
  await trouble.waitFor({ state: 'detached' })
  await qr(page).waitFor()
  for (const [code, sentence, cure] of [
    ['unauthorized', 'This link has ended.', 'docker compose logs ticket'],
    ['other_browser', 'Another browser uses this link.', 'docker compose restart ticket'],
    ['not_found', 'The set-up is already complete.', ''],
  ] as const) {
    shown.problem = new Problem(code, 'why')
    await page.reload()
    await trouble.getByText(sentence).waitFor()
    expect(await trouble.innerText()).toContain(cure)
  }
})
