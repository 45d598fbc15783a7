/** The doctor: each fault with its fix. */

import { afterAll, expect, onTestFinished, test } from 'vitest'
import { joinChecks } from '../../handlers/join.ts'
import type { ModList, ModRecord } from '../../handlers/mod-record.ts'
import { noMods } from '../../services/mods/no-mods.ts'
import { doctor } from '../cli/doctor.ts'
import { at } from '../cli/farmgate.ts'
import { noBackups } from '../records/no-backups.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { eventually } from '../wait.ts'
import { expectAccessible, expectGood, openView } from './open-page.ts'
import { browser } from './shared-browser.ts'

const server = await nodeServer()
afterAll(() => server.stop())

async function openDoctor(of: Parameters<typeof openView>[1] = server) {
  const opened = await openView(browser, of, 'doctor')
  const { page } = opened
  await page.locator('.findings').waitFor()
  const checkAgain = () => page.getByRole('button', { name: 'Check again' }).click()
  const finding = (name: string) =>
    page.locator('.findings li').filter({ has: page.getByRole('heading', { name }) })
  return { ...opened, finding, checkAgain }
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
const relay = (steamRelayReady: boolean) => ({ steamSession: 'connected', steamRelayReady })

test("each fault of the ticket service, the link and the game's own health of joining is reported with its fix", async () => {
  const { page, finding, checkAgain } = await openDoctor()
  let shown: { readonly metrics?: string; readonly health?: object } = {}
  await page.route('**/metrics', (route) => route.fulfill({ body: shown.metrics ?? '' }))
  await page.route('**/health', async (route) =>
    route.fulfill({ json: { ...(await (await route.fetch()).json()), ...shown.health } }),
  )
  for (const [faults, name, state, words] of [
    [{ metrics: ticket(0, 0, -1) }, 'Ticket service', 'broken', 'PLATFORM_AUTH_URL'],
    [{ metrics: ticket(1, 0, 90) }, 'Ticket service', 'broken', 'ticket login'],
    [{ metrics: ticket(1, 1, 12) }, 'Steam token', 'warning', 'Expires in 12 days.'],
    [{ metrics: ticket(1, 1, 1) }, 'Steam token', 'warning', 'Expires in one day.'],
    [{ metrics: ticket(1, 1, 0) }, 'Steam token', 'broken', 'ticket login'],
    [{ metrics: ticket(1, 1, 150) }, 'Steam token', 'ok', '150 days left.'],
    [{ metrics: 'farmgate_link_up 0\n' }, 'Link', 'broken', 'EDGE_LINK_KEY'],
    [{ metrics: 'farmgate_link_up 1\n' }, 'Link', 'ok', 'Connected.'],
    [{ health: { steamSession: 'lost' } }, 'Joining', 'broken', 'lost its Steam session'],
    [{ health: { galaxyLobby: 'down' } }, 'Joining', 'broken', 'new players cannot join'],
    [{ health: relay(false) }, 'Joining', 'warning', 'players on Steam cannot yet'],
    [{ health: { authReadiness: 'unavailable' } }, 'Joining', 'broken', 'cannot sign in to Steam'],
    [{ health: { authReadiness: 'expiring' } }, 'Joining', 'warning', 'run --rm ticket login'],
    [{ health: relay(true) }, 'Joining', 'ok', 'Players on Steam and GOG can join.'],
  ] as const) {
    shown = faults
    await checkAgain()
    await eventually(async () => {
      expect([words, await finding(name).getAttribute('data-state')]).toEqual([words, state])
      expect(await finding(name).innerText()).toContain(words)
    })
  }
})

test('a newer release is shown, with the command that updates to it', async () => {
  const { page, finding, checkAgain } = await openDoctor()
  const update = { version: '99.0.0', command: './farmgate update' }
  await page.route('**/stats', async (route) =>
    route.fulfill({ json: { ...(await (await route.fetch()).json()), update } }),
  )
  await checkAgain()
  await finding('Newer release').waitFor()
  const shown = await finding('Newer release').innerText()
  for (const words of [update.version, update.command]) expect(shown).toContain(words)
})

test('an unreachable game is reported with its fix, and its return after another check', async () => {
  await server.farm.goOffline()
  const { finding, page, checkAgain } = await openDoctor()
  expect(await finding('Game').innerText()).toContain('Start it.')
  await server.farm.comeBack()
  await checkAgain()
  await page.getByText('Running.').waitFor()
})

test('a disabled webhook, a failing one, and a Discord server without DISCORD_PUBLIC_KEY are reported with their fixes, the latter also in its view, and working webhooks with their number', async () => {
  const own = await nodeServer()
  onTestFinished(() => own.stop())
  const { code } = await own.records.of('local').makeDiscordCode()
  await own.records.of('local').bindDiscordServer({ code, serverId: '1' })
  const { finding, checkAgain, ...opened } = await openDoctor(own)
  const { page } = opened
  expect(await finding('Webhooks').count()).toBe(0)
  expect(await finding('Discord').innerText()).toContain('DISCORD_PUBLIC_KEY is missing')
  const one = { id: 'a', name: 'Log', origin: 'https://a.example', events: [], format: 'text', waiting: 0 }
  let webhooks: readonly object[] = [one, { ...one, id: 'b', disabledAt: '2026-11-21T12:00:00.000Z' }]
  let deliveries = [{ id: '1', event: 'test', madeAt: '2026-11-21T12:00:00.000Z', state: 'failed', tries: 9 }]
  await page.route('**/webhooks', (route) => route.fulfill({ json: { webhooks } }))
  await page.route('**/webhooks/deliveries?*', (route) => route.fulfill({ json: { deliveries } }))
  await checkAgain()
  await page.getByText('1 of 2 are disabled').waitFor()
  await page.getByText('The last delivery of 1 of 2 webhooks failed').waitFor()
  deliveries = []
  webhooks = [one]
  await checkAgain()
  await page.getByText('One webhook. The last deliveries arrived.').waitFor()
  webhooks = [one, { ...one, id: 'b' }]
  await checkAgain()
  await page.getByText('2 webhooks. The last deliveries arrived.').waitFor()
  await page.getByRole('link', { name: 'Discord', exact: true }).first().click()
  await page.getByText('DISCORD_PUBLIC_KEY is not set').waitFor()
  await expectAccessible(opened)
})

test('an admin downloads the bundle for asking for help here; another key sees no button', async () => {
  const opened = await openDoctor()
  const { page } = opened
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download a bundle for asking for help' }).click()
  expect((await downloading).suggestedFilename()).toMatch(/^farmgate-support-[0-9-]{10}\.zip$/)
  await expectAccessible(opened)
  const { key } = await server.records.of('local').makeKey({ name: 'reader', scopes: ['read'] })
  const reading = await openDoctor({ ...server, key })
  expect(await reading.page.getByRole('button', { name: /bundle/ }).count()).toBe(0)
})

test('“why can friends not join” is found in two clicks from the first page: the first cause with its next step, and all checks in order', async () => {
  await server.farm.join({ id: 6208260877024290921n, name: 'Abby' })
  const { page } = await openView(browser, server, 'farm')
  await page.route('**/join', (route) => route.fulfill({ json: { ...report('sign_in'), first: 'sign_in' } }))
  await page.getByRole('link', { name: 'Friends cannot join?' }).click()
  const place = page.getByRole('region', { name: 'Friends cannot join?' })
  await place.getByText('The ticket service is not signed in to Steam.').first().waitFor()
  await place.getByText('docker compose run --rm ticket login').first().waitFor()
  await place.getByText('All checks, in order').click()
  expect(await place.getByRole('heading', { level: 3 }).allInnerTexts()).toEqual(
    [
      'Game server',
      'Night',
      'Sign-in to Steam',
      'Clock',
      'Connections',
      'Invite code',
      'Player limit',
      'Join password',
      'Game and mods',
    ].map((name) => expect.stringContaining(name)),
  )
})

const signedOut = {
  state: 'wrong',
  message: 'The ticket service is not signed in to Steam.',
  next: 'Sign in on the machine of the farm: docker compose run --rm ticket login',
}
const report = (wrong: string) => ({
  checks: joinChecks.map((check) => ({
    check,
    ...(check === wrong ? signedOut : { state: 'ok', message: 'It is day.' }),
  })),
})

test('the clock of the farm is compared with the one of this device', async () => {
  const { page, checkAgain } = await openDoctor()
  const health = await (await fetch(`${server.url}/health`)).json()
  await page.route('**/health', (route) =>
    route.fulfill({ json: { ...health, timestamp: new Date(Date.now() + 3_600_000).toISOString() } }),
  )
  await page.route('**/join', (route) => route.fulfill({ json: report('') }))
  await checkAgain()
  const place = page.getByRole('region', { name: 'Friends cannot join?' })
  await place
    .getByText(/The clock of the farm differs by \d+ s/)
    .first()
    .waitFor()
})

test('the doctor of the command line and the page agree about a failed backup, however recent the last good one is', async () => {
  const state = { saves: 'mounted', nextAfter: 'game day', lastVerifiedAt: new Date().toISOString() } as const
  const backups = async () => ({ backups: [], state: { ...state, failing: 'not_whole' } as const })
  const own = await nodeServer({ server: { backups: { ...noBackups, backups } } })
  onTestFinished(() => own.stop())
  const { finding, page } = await openDoctor(own)
  await finding('Backups').getByText('The last backup failed.').waitFor()
  expect(await finding('Backups').getAttribute('data-state')).toBe('broken')
  await page.getByRole('main').getByRole('link', { name: 'Backups' }).click()
  await page.getByText('save of this day is not whole').waitFor()
  // A farm that is slow to answer has no check of its backups.
  await eventually(async () =>
    expect((await doctor(at(own))).of('backups')).toMatchObject([
      { state: 'broken', found: 'the last one failed' },
    ]),
  )
})

test('one mod with a problem is counted in the singular, in the page and in the command line', async () => {
  let all: readonly ModRecord[] = []
  const mods = async (): Promise<ModList> => ({ mods: [...all], restartNeeded: false, access: 'ro' })
  const own = await nodeServer({ server: { mods: { ...noMods, mods } } })
  onTestFinished(() => own.stop())
  const well = { id: 'A.B', folder: 'B', name: 'B', version: '1.0.0', author: 'A', enabled: true } as const
  const mod: ModRecord = { ...well, kind: 'code', side: 'unknown', dependencies: [], problems: [] }
  const broken: ModRecord = { ...mod, problems: [{ code: 'no_manifest', message: 'It has no manifest' }] }
  const { page, checkAgain } = await openDoctor(own)
  for (const [given, inPage, inCommand] of [
    [[broken], 'One mod has a problem.', '1 with a problem'],
    [[broken, broken], '2 mods have a problem.', '2 with a problem'],
    [[mod], 'One mod, without a problem.', '1, none with a problem'],
  ] as const) {
    all = given
    await checkAgain()
    await page.getByText(inPage).waitFor()
    await eventually(async () =>
      expect((await doctor(at(own))).of('mods')).toMatchObject([{ found: inCommand }]),
    )
  }
})
