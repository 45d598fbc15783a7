/** The set-up in the browser: from nothing to an invite code without a terminal, and its failures. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { passSetup } from '../../services/ticket-service/pass-setup.ts'
import { suiteKey } from '../contract/server-under-test.ts'
import { defaultKnobs } from '../platform/knobs.ts'
import { memoryFarm } from '../records/memory-records.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { serveGame } from '../ticket/depot/serve-game.ts'
import { environmentOf, type Served, serve } from '../ticket/process.ts'
import { junimo, makeSetting } from '../ticket/setting.ts'
import { eventually } from '../wait.ts'
import { expectAccessible, expectGood, openPage } from './open-page.ts'
import { browser } from './shared-browser.ts'

const setting = await makeSetting()
const cdn = await serveGame(setting.platform)
const { platform } = setting
const abigail = platform.book.add({ ...junimo, name: 'abigail', steamId: '76561198000000002' })
afterAll(async () => {
  await setting.close()
  await cdn.close()
})
beforeEach(() => {
  Object.assign(platform.knobs, defaultKnobs())
  platform.content.notOwned.clear()
})
afterEach(() => {
  cdn.knobs.fault = () => undefined
})

/** An empty set-up: a ticket service in its own process, the control API, and a simulated game. */
async function emptySetUp(more: Record<string, string> = {}, settingsFile?: string) {
  const environment = environmentOf(platform, {
    SESSION_DIR: join(setting.folder(), 'session'),
    GAME_DIR: join(setting.folder(), 'game'),
    ...more,
  })
  let ticket: Served = await serve(environment)
  const port = new URL(ticket.base).port
  const own = await memoryFarm(suiteKey)
  const records = own.records.of('local')
  const parts = { setup: passSetup({ url: ticket.base, records }), records, keys: own.keys }
  const api = await nodeServer({ server: parts, ...(settingsFile !== undefined && { settingsFile }) })
  onTestFinished(async () => {
    await Promise.all([ticket.stop(), api.stop()])
  })
  const link = await eventually(() => {
    const [, code] = /#setup=([\w-]+)/.exec(ticket.stderr()) ?? []
    return code !== undefined && `#setup=${code}`
  })
  return {
    link: () => `${api.url}/${link}`,
    api: () => api,
    async restart() {
      await ticket.stop()
      ticket = await serve({ ...environment, PORT: port })
    },
    async stopTicket() {
      await ticket.stop()
    },
  }
}

const qr = (page: Page) => page.locator('svg.qr').first()
const slow = () => {
  cdn.knobs.fault = ({ kind }) => (kind === 'chunk' ? { do: 'delay', milliseconds: 60_000 } : undefined)
}

test('on a phone and in Chinese, from nothing to an invite code without a terminal; a reload and a restart of the ticket service continue', async () => {
  const made = await emptySetUp()
  const opened = await openPage(browser, made.link(), { size: 'phone', locale: 'zh-CN', colorScheme: 'dark' })
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

test('the link leaves the address and the history of the tab, and the browser storage after the end', async () => {
  const made = await emptySetUp()
  const { page } = await openPage(browser, `${made.api().url}/`)
  await page.getByLabel('Key', { exact: true }).waitFor()
  await page.goto(made.link())
  await qr(page).waitFor()
  expect(page.url()).toBe(`${made.api().url}/`)
  await page.goBack()
  await page.goForward()
  expect(page.url()).not.toContain('setup')
  platform.phone.approve(setting.account)
  await page.getByRole('button', { name: 'Go to the farm' }).click()
  await page.getByRole('navigation').waitFor()
  const code = made.link().split('=')[1] ?? ''
  expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }))).not.toContain(
    code,
  )
  expect(await page.evaluate(() => document.cookie)).toBe('')
})

test('a stopped game is started, the settings are saved, and a new world is created from them', async () => {
  const settingsFile = join(setting.folder(), 'server-settings.json')
  writeFileSync(settingsFile, '{"server":{"maxPlayers":10}}')
  const made = await emptySetUp({}, settingsFile)
  // A new world needs an empty farm, as a new one is.
  for (const { id } of (await made.api().bridge.players()).players) made.api().farm.leave(id)
  made.api().host.become('stopped')
  await made.api().farm.goOffline()
  const { page } = await openPage(browser, made.link())
  await qr(page).waitFor()
  platform.phone.approve(setting.account)
  await page.getByRole('heading', { name: 'Your farm', exact: true }).waitFor()
  await page.getByText('The game is installed, but it is stopped.').waitFor()
  await page.getByRole('button', { name: 'Start the game' }).click()
  await eventually(() => made.api().host.asked.includes('start'))
  await made.api().farm.comeBack()
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
})

describe('each failure has its sentence and what to do', () => {
  const open = async (more: Record<string, string> = {}) => {
    const made = await emptySetUp(more)
    const { page } = await openPage(browser, made.link())
    return { made, page }
  }
  const scanned = async (page: Page, account = setting.account) => {
    await qr(page).waitFor()
    platform.phone.approve(account)
  }

  test('an account without the game, and another one in its place', async () => {
    platform.content.notOwned.add(413150)
    const { page } = await open()
    await scanned(page, abigail)
    await page.getByText('Approved account: abigail').waitFor()
    await page.getByText('This account does not own Stardew Valley.').waitFor()
    platform.content.notOwned.clear()
    await page.getByRole('button', { name: 'Sign in with another account' }).click()
    await scanned(page)
    await page.getByRole('heading', { name: 'Your farm', exact: true }).waitFor()
  })

  test('the wrong account', async () => {
    const { page } = await open({ PLATFORM_USERNAME: junimo.name })
    await scanned(page, abigail)
    await page.getByText('Another account was used.').waitFor()
    await page.getByText('Scan the code with the account in PLATFORM_USERNAME').waitFor()
  })

  test('a sign-in that the phone denies; a new code is shown on request', async () => {
    const { page } = await open()
    await qr(page).waitFor()
    platform.phone.deny()
    await page.getByText('The sign-in was denied in the Steam app.').waitFor()
    await page.getByRole('button', { name: 'Show a QR code' }).click()
    await qr(page).waitFor()
  })

  test('Steam is unreachable', async () => {
    platform.knobs.unreachable = true
    const { page } = await open()
    await page.getByText('Steam is unreachable.').waitFor()
  })

  test('the connection to farmgate is lost, and back; then the ticket service is down, and back', async () => {
    const { made, page } = await open()
    await qr(page).waitFor()
    await page.context().setOffline(true)
    await page.getByText('farmgate does not respond. The page retries automatically.').waitFor()
    await page.context().setOffline(false)
    await page.getByText('farmgate does not respond.').waitFor({ state: 'detached' })
    await qr(page).waitFor()
    await made.stopTicket()
    await page.getByText('The ticket service does not respond').waitFor()
    await made.restart()
    await page.getByText('The ticket service does not respond').waitFor({ state: 'detached' })
  })

  test('a second browser', async () => {
    const { made, page } = await open()
    await qr(page).waitFor()
    const { page: second } = await openPage(browser, made.link())
    await second.getByText('Another browser uses this link.').waitFor()
    await second.getByText('docker compose restart ticket').waitFor()
  })

  test('a link that has ended', async () => {
    const { made } = await open()
    const wrong = `${made.api().url}/#setup=${Buffer.alloc(32).toString('base64url')}`
    const { page } = await openPage(browser, wrong)
    await page.getByText('This link has ended.').waitFor()
    await page.getByText('docker compose logs ticket').waitFor()
  })

  test('a replay after completion', async () => {
    const { made, page } = await open()
    await scanned(page)
    await page.getByRole('heading', { name: 'Your farm', exact: true }).waitFor()
    const { page: late } = await openPage(browser, made.link())
    await late.getByText('The set-up is already complete.').waitFor()
  })

  test.each([
    ['qr_expired', 'No one approved the sign-in in time.', 'Show a QR code'],
    ['disk_full', 'The disk of the server is full.', 'Try again'],
    ['not_saved', 'The session could not be saved.', 'Show a QR code'],
    ['download_failed', 'The download failed.', 'Try again'],
    ['steam_rate_limited', 'Steam asks to wait.', 'Show a QR code'],
  ])('%s', async (code, sentence, button) => {
    const own = await memoryFarm(suiteKey)
    const view = { state: 'failed' as const, code: code as 'qr_expired', error: 'why' }
    const api = await nodeServer({
      server: {
        records: own.records.of('local'),
        keys: own.keys,
        setup: {
          pass: async () => ({ view }),
          makeKey: async () => ({ key: suiteKey }),
        },
      },
    })
    onTestFinished(() => api.stop())
    const { page } = await openPage(browser, `${api.url}/#setup=abc`)
    await page.getByText(sentence).waitFor()
    await page.getByRole('button', { name: button }).waitFor()
  })
})
