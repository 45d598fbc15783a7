/** The doctor: each fault with its fix. */

import { afterAll, expect, onTestFinished, test } from 'vitest'
import { nodeServer } from '../runtime/node/node-server.ts'
import { expectAccessible, expectGood, openPage } from './open-page.ts'
import { browser } from './shared-browser.ts'

const server = await nodeServer()
afterAll(() => server.stop())

interface Faults {
  /** Replaces the server's own metrics. */
  readonly metrics?: string
  /** Added to the server's own health. */
  readonly health?: object
  /** Milliseconds that the browser's clock is ahead. */
  readonly ahead?: number
}

async function openDoctor({ metrics, health, ahead = 0 }: Faults = {}, of = server) {
  const opened = await openPage(browser, 'about:blank')
  const { page } = opened
  if (ahead !== 0) await page.clock.install({ time: Date.now() + ahead })
  if (metrics !== undefined) await page.route('**/metrics', (route) => route.fulfill({ body: metrics }))
  if (health !== undefined)
    await page.route('**/health', async (route) => {
      const own = (await (await route.fetch()).json()) as object
      await route.fulfill({ json: { ...own, ...health } })
    })
  await page.goto(`${of.url}/#key=${of.key}`)
  await page.getByRole('link', { name: 'Doctor' }).click()
  await page.locator('.findings').waitFor()
  const finding = (name: string) =>
    page.locator('.findings li').filter({ has: page.getByRole('heading', { name }) })
  return { ...opened, finding }
}

test('healthy parts are reported as healthy: game, disk and clocks', async () => {
  const opened = await openDoctor()
  for (const name of ['Game', 'Disk', 'Clocks'])
    expect(await opened.finding(name).getAttribute('data-state')).toBe('ok')
  await opened.page.getByText('PLATFORM_AUTH_URL is not set').waitFor()
  await expectAccessible(opened)
  await expectGood(opened)
})

const ticket = (available: number, session: number, days: number) =>
  [
    `farmgate_ticket_service_available ${available}`,
    `farmgate_ticket_service_logged_in ${session}`,
    `farmgate_ticket_service_token_days_remaining ${days}`,
    '',
  ].join('\n')

test.each([
  ['an unreachable ticket service', ticket(0, 0, -1), 'Ticket service', 'broken', 'PLATFORM_AUTH_URL'],
  ['one that is not signed in', ticket(1, 0, 90), 'Ticket service', 'broken', 'ticket login'],
  ['a token that ends soon', ticket(1, 1, 12), 'Steam token', 'warning', 'Expires in 12 days.'],
  ['a token that ends in a day', ticket(1, 1, 1), 'Steam token', 'warning', 'Expires in one day.'],
  ['a token that has ended', ticket(1, 1, 0), 'Steam token', 'broken', 'ticket login'],
  ['a link that is down', 'farmgate_link_up 0\n', 'Link', 'broken', 'EDGE_LINK_KEY'],
])('%s is reported with its fix', async (_, metrics, name, state, words) => {
  const { finding } = await openDoctor({ metrics })
  expect(await finding(name).getAttribute('data-state')).toBe(state)
  expect(await finding(name).innerText()).toContain(words)
})

test.each([
  [{ steamSession: 'lost' }, 'broken', 'lost its Steam session'],
  [{ galaxyLobby: 'down' }, 'broken', 'new players cannot join'],
  [{ steamSession: 'connected', steamRelayReady: false }, 'warning', 'players on Steam cannot yet'],
  [{ authReadiness: 'unavailable' }, 'broken', 'cannot sign in to Steam'],
  [{ authReadiness: 'expiring' }, 'warning', 'docker compose run --rm ticket login'],
  [{ steamSession: 'connected', steamRelayReady: true }, 'ok', 'Players on Steam and GOG can join.'],
])("the doctor reports the game's own health of joining: %j", async (connections, state, words) => {
  const { finding } = await openDoctor({ health: connections })
  expect(await finding('Joining').getAttribute('data-state')).toBe(state)
  expect(await finding('Joining').innerText()).toContain(words)
})

test('a lasting token and a working link are reported too', async () => {
  const { finding } = await openDoctor({ metrics: `${ticket(1, 1, 150)}farmgate_link_up 1\n` })
  expect(await finding('Steam token').innerText()).toContain('150 days left.')
  expect(await finding('Link').getAttribute('data-state')).toBe('ok')
})

test('a browser clock that is wrong by an hour is reported', async () => {
  const { finding } = await openDoctor({ ahead: -3_600_000 })
  expect(await finding('Clocks').innerText()).toContain('NTP')
})

test('an unreachable game is reported with its fix, and its return after another check', async () => {
  const own = await nodeServer()
  onTestFinished(() => own.stop())
  await own.farm.goOffline()
  const { finding, page } = await openDoctor({}, own)
  expect(await finding('Game').innerText()).toContain('Start it.')
  await own.farm.comeBack()
  await page.getByRole('button', { name: 'Check again' }).click()
  await page.getByText('Running.').waitFor()
})

test('a disabled webhook, a failing one, and a Discord server without DISCORD_PUBLIC_KEY are reported with their fixes', async () => {
  const own = await nodeServer()
  onTestFinished(() => own.stop())
  const { code } = await own.records.of('local').makeDiscordCode()
  await own.records.of('local').bindDiscordServer({ code, serverId: '1' })
  const { page, finding } = await openDoctor({}, own)
  expect(await finding('Webhooks').count()).toBe(0)
  expect(await finding('Discord').innerText()).toContain('DISCORD_PUBLIC_KEY is missing')
  const one = { id: 'a', name: 'Log', origin: 'https://a.example', events: [], format: 'text', waiting: 0 }
  const webhooks = [one, { ...one, id: 'b', disabledAt: '2026-11-21T12:00:00.000Z' }]
  const failed = { id: '1', event: 'test', madeAt: '2026-11-21T12:00:00.000Z', state: 'failed', tries: 9 }
  await page.route('**/webhooks', (route) => route.fulfill({ json: { webhooks } }))
  await page.route('**/webhooks/deliveries?*', (route) => route.fulfill({ json: { deliveries: [failed] } }))
  await page.getByRole('button', { name: 'Check again' }).click()
  await page.getByText('1 of 2 are disabled').waitFor()
  await page.getByText('The last delivery of 1 of 2 webhooks failed').waitFor()
})

test('working webhooks are reported with their number', async () => {
  const { page } = await openDoctor({})
  const one = { id: 'a', name: 'Log', origin: 'https://a.example', events: [], format: 'text', waiting: 0 }
  let webhooks = [one]
  await page.route('**/webhooks', (route) => route.fulfill({ json: { webhooks } }))
  await page.route('**/webhooks/deliveries?*', (route) => route.fulfill({ json: { deliveries: [] } }))
  await page.getByRole('button', { name: 'Check again' }).click()
  await page.getByText('One webhook. The last deliveries arrived.').waitFor()
  webhooks = [one, { ...one, id: 'b' }]
  await page.getByRole('button', { name: 'Check again' }).click()
  await page.getByText('2 webhooks. The last deliveries arrived.').waitFor()
})

test('a key that can only read sees no webhooks or Discord, and requests neither', async () => {
  const { key } = await server.records.of('local').makeKey({ name: 'Reader', scopes: ['read'] })
  const { asked, finding } = await openDoctor({}, { ...server, key })
  expect(await finding('Discord').count()).toBe(0)
  expect(asked.filter((address) => /discord|webhooks/.test(address))).toEqual([])
})
