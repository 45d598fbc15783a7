/** The page of the fleet at `/fleet/` in Chromium, through the real Worker, with farms that are linked to it. */
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest'
import { fleetEntry } from '../../handlers/fleet.ts'
import type { Host } from '../../handlers/host.ts'
import { steeredFarm } from '../bridges/simulated/steered-farm.ts'
import {
  expectAccessible,
  expectGood,
  looks,
  type OpenPage,
  openPage,
  picture,
} from '../dashboard/open-page.ts'
import { browser } from '../dashboard/shared-browser.ts'
import { memoryFarm } from '../records/memory-records.ts'
import { noBackups } from '../records/no-backups.ts'
import { farmHost } from '../services/host/farm-host.ts'
import { eventually } from '../wait.ts'
import { type Edge, startEdge } from './edge.ts'
import { fleetKey } from './edge-server.ts'
import { createFarm, linkedFarm } from './linked-farm.ts'
import { wireTo } from './wire.ts'

const vars = { FLEET_KEY: fleetKey, RATE_LIMIT_READS: '0', RATE_LIMIT_WRITES: '0' }
const headers = { Authorization: `Bearer ${fleetKey}`, 'Content-Type': 'application/json' }

let edge: Edge
let alder: Host
const stops: (() => Promise<void>)[] = []
beforeAll(async () => {
  edge = await startEdge(inject('edgeBundle'), vars)
  // By name: a farm with a host, one without, one that was never linked, and one that lost its link.
  alder = (await linked('alder', true)).host
  await linked('birch', false)
  await createFarm(edge.url, 'clover')
  const { link } = await linked('daisy', false)
  await link.close()
  await note('alder', { tags: ['eu', 'paid'], note: 'Moves in May' })
  await note('birch', { tags: ['us'] })
})
afterAll(async () => {
  for (const stop of stops) await stop()
  await edge.stop()
})

async function note(farm: string, notes: object) {
  const body = JSON.stringify(notes)
  expect((await fetch(`${edge.url}/farms/${farm}`, { method: 'PATCH', headers, body })).status).toBe(200)
}

async function linked(farm: string, hasHost: boolean) {
  const { linkKey } = await createFarm(edge.url, farm)
  const game = steeredFarm()
  const { records, keys } = await memoryFarm()
  const host = farmHost({ game, records, backups: noBackups })
  const options = { records: records.of('edge'), keys, ...(hasHost && { host: host.port }) }
  const { link } = await linkedFarm(`${edge.url}/farms/${farm}`, linkKey, options, game, (end) =>
    stops.push(end),
  )
  stops.push(async () => host.close())
  return { link, host: host.port }
}

/** The page, signed in. */
async function signedIn(look: Parameters<typeof openPage>[2] = {}): Promise<OpenPage> {
  const opened = await openPage(browser, `${edge.url}/fleet/`, look)
  await signIn(opened)
  return opened
}

async function signIn({ page }: OpenPage) {
  await page.locator('input[type=password]').fill(fleetKey)
  await page.keyboard.press('Enter')
  await page.locator('tbody tr').first().waitFor()
}

const row = ({ page }: OpenPage, farm: string) =>
  page.locator('tbody tr').filter({ has: page.getByRole('link', { name: farm, exact: true }) })
const names = ({ page }: OpenPage) => page.locator('tbody th').allInnerTexts()

test('a wrong key is refused and not kept; the fleet key shows all farms, those with the worst trouble first, and stays for the tab', async () => {
  // As a person types it.
  const opened = await openPage(browser, `${edge.url}/fleet`)
  const { page } = opened
  expect(page.url()).toBe(`${edge.url}/fleet/`)
  await page.getByLabel('Key', { exact: true }).fill('not the fleet key')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText('farmgate does not accept this key').waitFor()
  expect(await page.evaluate(() => sessionStorage.length + localStorage.length)).toBe(0)
  await page.getByLabel('Key', { exact: true }).fill(fleetKey)
  await page.keyboard.press('Enter')
  await row(opened, 'daisy').getByText('The farm has lost its connection to the edge.').waitFor()
  await row(opened, 'clover').getByText('The farm has never connected to the edge.').waitFor()
  await row(opened, 'alder').getByText('No trouble').waitFor()
  expect(await names(opened)).toEqual(['daisy', 'clover', 'alder', 'birch'])
  await page.getByText('4 farms · 2 have trouble').waitFor()
  await page.reload()
  await row(opened, 'daisy').waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('Key', { exact: true }).waitFor()
  expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
  await expectGood(opened)
})

test('a fleet key that is replaced while the page is open ends the session, and stays stored until signing out', async () => {
  const { page } = await signedIn()
  await page.route('**/farms', (route) =>
    route.fulfill({ status: 401, json: { error: 'Unauthorized', code: 'unauthorized' } }),
  )
  await page.reload()
  await page.getByRole('alert').getByText('farmgate no longer accepts your key').waitFor()
  await page.unroute('**/farms')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.locator('tbody tr').first().waitFor()
})

test.each(looks)(
  'the page of the fleet and its dialogs are accessible, fit the screen and keep the policy: $size, $locale, $colorScheme',
  async (look) => {
    const isEnglish = look.locale !== 'zh-CN'
    const at = (name: string) =>
      picture(opened, `fleet-${name}-${look.size}-${look.locale}-${look.colorScheme}`)
    const opened = await signedIn(look)
    const { page } = opened
    await page.getByText(isEnglish ? 'The farm has lost' : '农场与边缘节点的连接中断').waitFor()
    await expectAccessible(opened)
    await at('list')
    await row(opened, 'alder').getByRole('checkbox').check()
    await page.getByRole('button', { name: isEnglish ? 'Restart…' : '重启…' }).click()
    await expectAccessible(opened)
    await at('restart')
    await page.keyboard.press('Escape')
    await row(opened, 'alder').getByRole('button').click()
    await page.getByRole('dialog').waitFor()
    await expectAccessible(opened)
    await expectGood(opened)
  },
)

test('farms are filtered by a tag and by text in names, notes and tags; what is selected stays so, and only what is shown is acted on, after a dialog that names it', async () => {
  const opened = await signedIn()
  const { page } = opened
  await page.getByRole('combobox', { name: 'Tag' }).selectOption('eu')
  expect(await names(opened)).toEqual(['alder'])
  await page.getByLabel('Select all').check()
  await page.getByRole('combobox', { name: 'Tag' }).selectOption('All tags')
  const search = page.getByLabel('Search names, notes and tags')
  await search.fill('IN MAY')
  expect(await names(opened)).toEqual(['alder'])
  await search.fill('US')
  expect(await names(opened)).toEqual(['birch'])
  await search.fill('no such farm')
  await page.getByText('No farm matches.').waitFor()
  await page.getByText('1 selected').waitFor({ state: 'detached' })
  await search.fill('')
  await page.getByText('1 selected').waitFor()
  await page.getByRole('button', { name: 'Back up…' }).click()
  await page.getByRole('dialog').getByText('At 1 farm: alder').waitFor()
})

test('tags and a note are saved and shown at once, as text whatever they contain; what was not edited is kept', async () => {
  const hostile = '<img src=x onerror="document.title=\'owned\'">'
  const opened = await signedIn()
  const { page } = opened
  await row(opened, 'birch').getByRole('button', { name: 'Edit tags and note of birch' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Tags').fill(`us, ${hostile.slice(0, 32)}，us`)
  await note('birch', { note: `${hostile} by someone else` })
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'detached' })
  await row(opened, 'birch').getByText(`${hostile} by someone else`).waitFor()
  expect(await page.evaluate(() => document.activeElement?.ariaLabel)).toBe('Edit tags and note of birch')
  expect(await row(opened, 'birch').locator('.tag').allInnerTexts()).toEqual(['us', hostile.slice(0, 32)])
  expect(await page.locator('img').count()).toBe(0)
  expect(await page.title()).not.toContain('owned')
  await row(opened, 'birch').getByRole('button').click()
  await dialog.getByLabel('Tags').fill('us')
  await dialog.getByLabel('Note').fill('')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await row(opened, 'birch').innerText()).not.toContain('img')
  await expectGood(opened)
})

test('an action shows what will happen at how many farms, and then one outcome for each, failures first; a bad farm does not halt the others', async () => {
  const opened = await signedIn()
  const { page } = opened
  await page.getByLabel('Select all').check()
  await page.getByRole('button', { name: 'Restart…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('At 4 farms: alder, birch, clover, daisy').waitFor()
  await dialog.getByLabel('Make a backup first').uncheck()
  await dialog.getByText('The game stops.').waitFor()
  await dialog.getByRole('button', { name: 'Restart 4 farms' }).click()
  // Players are warned for ten minutes.
  await page.getByText('3 of 4 done').waitFor()
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Restart…')
  const outcomes = await page.locator('.outcomes li').allInnerTexts()
  expect(outcomes.map((one) => one.split(/\s/)[0])).toEqual(['birch', 'clover', 'daisy', 'alder'])
  expect(outcomes[0]).toContain('GAME_HOST')
  expect(outcomes[3]).toContain('Waiting')
  // A page that is loaded again finds what still runs, and its outcomes.
  await page.reload()
  await page.getByText('3 of 4 done').waitFor()
  expect(await page.locator('.outcomes li').count()).toBe(3)
  const [operation] = (await alder.operations()).map(({ id }) => id)
  await alder.cancelOperation(operation ?? '')
  await page.getByText('Ended: 4 of 4 failed').waitFor()
  await page.getByText('The restart was cancelled').waitFor()
  await expectAccessible(opened)
  await page.getByRole('button', { name: 'Close' }).click()
  const kept = page.getByRole('region', { name: 'Actions of the last week' })
  await kept.getByText('Ended: 4 of 4 failed').first().click()
  await kept.getByText('The restart was cancelled').waitFor()
  await expectAccessible(opened)
  await page.getByLabel('Select all').check()

  await page.getByRole('button', { name: 'Announce…' }).click()
  await dialog.getByLabel('Message').fill('A break in ten minutes')
  await page.keyboard.press('Enter')
  await page.getByText('Ended: 2 of 4 failed').waitFor()
  await page.getByRole('button', { name: 'Clear the selection' }).click()
  await page.getByText('4 selected').waitFor({ state: 'detached' })
  await expectGood(opened)
})

test("a farm's name opens its dashboard, signed in with a key of its own that no address keeps, and again after that key has ended", async () => {
  const opened = await signedIn()
  const { page } = opened
  const keyOf = () => page.evaluate(() => sessionStorage.getItem('farmgate.key:/farms/alder/'))
  await page.getByRole('link', { name: 'alder', exact: true }).click()
  await page.getByRole('link', { name: 'Keys', exact: true }).waitFor()
  expect(page.url()).toBe(`${edge.url}/farms/alder/`)
  const first = await keyOf()
  expect(first).toMatch(/^fg_/)
  await page.getByRole('link', { name: 'Audit', exact: true }).click()
  const made = page.locator('.fold').filter({ hasText: 'Fleet dashboard link' }).first()
  await made.getByText('FLEET_KEY').waitFor()
  await page.goBack()
  await page.goBack()
  await page.getByRole('link', { name: 'alder', exact: true }).click()
  await page.getByRole('link', { name: 'Keys', exact: true }).waitFor()
  expect(await keyOf()).not.toBe(first)
  expect(await page.getByRole('dialog').count()).toBe(0)
  await page.goBack()
  await page.getByRole('link', { name: 'daisy', exact: true }).click()
  await page.getByRole('alert').getByText('The game server cannot be reached.').waitFor()
  expect(page.url()).toBe(`${edge.url}/fleet/`)
})

test('the list follows the farms without a request to any of them, rests while the page is hidden, and turns grey while the edge is unreachable', async () => {
  const wire = await wireTo(edge.url)
  onTestFinished(() => wire.stop())
  const opened = await openPage(browser, 'about:blank')
  const { page, asked } = opened
  await page.clock.install()
  await page.goto(`${wire.url}/fleet/`)
  await signIn(opened)
  const reads = () => asked.filter((url) => url.endsWith('/farms')).length
  const before = reads()
  await note('daisy', { tags: ['moved'] })
  await page.clock.runFor(20_000)
  await row(opened, 'daisy').getByText('moved').waitFor()
  expect(reads()).toBeGreaterThan(before)
  expect(asked.filter((url) => /\/farms\/(?!actions)./.test(new URL(url).pathname))).toEqual([])

  const hide = (isHidden: boolean) =>
    page.evaluate((value) => {
      Object.defineProperty(document, 'hidden', { value, configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))
    }, isHidden)
  await hide(true)
  const hidden = reads()
  await page.clock.runFor(120_000)
  expect(reads()).toBe(hidden)
  wire.refuse(true)
  wire.cut()
  await hide(false)
  // The client repeats a read that got no answer.
  await eventually(async () => {
    await page.clock.runFor(1_000)
    expect(await page.locator('[data-stale=true]').count()).toBe(1)
  })
  await row(opened, 'daisy').waitFor()
  await expectAccessible(opened)
  wire.refuse(false)
  await eventually(async () => {
    await page.clock.runFor(15_000)
    expect(await page.locator('[data-stale=false]').count()).toBe(1)
  })
  await note('daisy', { tags: [] })
})

test.each([
  { size: 'wide', locale: 'en-US' },
  { size: 'phone', locale: 'zh-CN' },
] as const)(
  'each trouble that the edge knows is a sentence, the farms are in the order of the edge, and the longest values fit the screen: $size, $locale',
  async (look) => {
    const codes = fleetEntry.entries.trouble.item.options
    const long = {
      version: 'v'.repeat(64),
      farmgateVersion: 'f'.repeat(64),
      tags: Array.from({ length: 20 }, (_, at) => `${at % 10}`.repeat(32)),
      note: `\u202e\u2066${'W'.repeat(498)}`,
    }
    const farms = codes.map((code, at) => ({
      ...long,
      farm: `${9 - at}`.repeat(63),
      linked: true,
      trouble: [code],
    }))
    const opened = await openPage(browser, 'about:blank', look)
    // No farm has all of them.
    await opened.page.route('**/farms', (route) => route.fulfill({ json: { farms: farms.toReversed() } }))
    await opened.page.goto(`${edge.url}/fleet/`)
    await signIn(opened)
    expect(await names(opened)).toEqual(farms.map(({ farm }) => farm))
    const sentences = await opened.page.locator('tbody .in-trouble').allInnerTexts()
    expect(new Set(sentences).size).toBe(codes.length)
    for (const sentence of sentences) expect(sentence).toMatch(look.locale === 'en-US' ? /^\S+ .*\.$/ : /。$/)
    await picture(opened, `fleet-long-${look.size}`)
    await expectAccessible(opened)
  },
)

test('of a thousand farms the page draws a hundred, finds each by its name, and selects all that match', async () => {
  const { farms: known } = (await (await fetch(`${edge.url}/farms`, { headers })).json()) as {
    farms: object[]
  }
  const farms = Array.from({ length: 1000 }, (_, at) => ({
    ...known[at % known.length],
    farm: `farm-${String(at).padStart(4, '0')}`,
  }))
  const opened = await openPage(browser, 'about:blank')
  // To create as many takes workerd minutes.
  await opened.page.route('**/farms', (route) => route.fulfill({ json: { farms } }))
  await opened.page.goto(`${edge.url}/fleet/`)
  await signIn(opened)
  const { page } = opened
  await page.getByText('1,000 farms').waitFor()
  expect((await names(opened)).length).toBe(100)
  await page.getByRole('button', { name: 'Show 100 more' }).waitFor()
  const search = page.getByLabel('Search names, notes and tags')
  await search.pressSequentially('farm-0777')
  expect(await names(opened)).toEqual(['farm-0777'])
  await search.fill('farm-07')
  await page.getByLabel('Select all').check()
  await page.getByText('100 selected').waitFor()
  await search.fill('')
  await page.getByLabel('Select all').check()
  await page.getByText('1,000 selected').waitFor()
  await page.getByRole('button', { name: 'Announce…' }).click()
  await page
    .getByRole('dialog')
    .getByText(/^At 1,000 farms: farm-0000, .*farm-0049$/)
    .waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Show 950 more' }).click()
  await page
    .getByRole('dialog')
    .getByText(/farm-0999$/)
    .waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Show 100 more' }).click()
  expect((await names(opened)).length).toBe(200)
})

test('the page is at the root of an edge that has a fleet, also below API_BASE_PATH, and nowhere else; an edge without a farm at its root leads there', async () => {
  const page = (url: string) => fetch(url, { headers: { Accept: 'text/html' }, redirect: 'manual' })
  const answer = await page(`${edge.url}/fleet/`)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-security-policy')).toContain("require-trusted-types-for 'script'")
  expect((await page(`${edge.url}/farms/alder/fleet/`)).status).toBe(401)
  const without = await startEdge(inject('edgeBundle'), { API_KEY: fleetKey, LINK_KEY: fleetKey })
  onTestFinished(() => without.stop())
  expect((await page(`${without.url}/fleet/`)).status).toBe(401)
  const below = await startEdge(inject('edgeBundle'), { ...vars, API_BASE_PATH: '/games' })
  onTestFinished(() => below.stop())
  const url = `${below.url}/games`
  await createFarm(url, 'alder')
  const opened = await openPage(browser, url)
  expect(opened.page.url()).toBe(`${url}/fleet/`)
  await signIn(opened)
  expect(opened.asked.slice(1).filter((one) => !one.startsWith(`${url}/`))).toEqual([])
  await expectGood(opened)
})
