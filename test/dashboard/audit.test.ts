/** The view of the audit (docs/dashboard.md). */

import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { endpoints } from '../../handlers/endpoints/all-endpoints.ts'
import { FarmError } from '../../handlers/farm-error.ts'
import type { Records } from '../../handlers/records.ts'
import { postKey } from '../contract/http/made-key.ts'
import { askWithKey } from '../contract/request.ts'
import { memoryRecords } from '../records/memory-records.ts'
import { type NodeServer, nodeServer } from '../runtime/node/node-server.ts'
import { eventually } from '../wait.ts'
import { expectAccessible, expectGood, openPage, openView } from './open-page.ts'
import { browser } from './shared-browser.ts'

const server = await nodeServer()
for (let fps = 1; fps <= 60; fps += 1) await askWithKey(server, 'POST', `/rendering?fps=${fps}`)
const { json } = await postKey(server, { name: 'Robin', scopes: ['read', 'control'] })
const { key } = json as { key: string }
await askWithKey({ ...server, key }, 'POST', '/time?value=1230')
await askWithKey({ ...server, key }, 'POST', '/reload')
afterAll(() => server.stop())

async function openAudit(of: Pick<NodeServer, 'url' | 'key'> = server) {
  const opened = await openView(browser, of, 'audit')
  await opened.page.locator('.fold').first().waitFor()
  return opened
}

test('a change is listed with its caller, its values and its outcome', async () => {
  const opened = await openAudit()
  const { page } = opened
  const refused = page.locator('.fold').first()
  expect(await refused.innerText()).toMatch(/Reload the world\s+Robin\s+Refused/)
  const row = page.locator('.fold').nth(1)
  expect(await row.innerText()).toMatch(/Set the time 12:30 PM\s+Robin\s+Done/)
  await row.locator('summary').click()
  await row.locator('dd').getByText('1230').waitFor()
  expect(await row.innerText()).toMatch(/127\.0\.0\.1 · farm’s own address/)
  await expectAccessible(opened)
  await expectGood(opened)
})

test('a dry run of a restore is "Restore checked", which no one can read as a restore', async () => {
  const id = 'Clover-y1-spring-01-20261121T120000000Z'
  await askWithKey(server, 'POST', `/backups/restore?id=${id}&dryRun=true`)
  const { page } = await openAudit()
  expect(await page.locator('.fold').first().innerText()).toMatch(/\sRestore checked Clover.*Refused/s)
})

test('a time and a speed are shown as people say them, in English and in Chinese', async () => {
  const own = await nodeServer()
  onTestFinished(() => own.stop())
  for (const change of ['/time?value=1200', '/clock-speed?multiplier=0.5', '/clock-speed?multiplier=3'])
    expect((await askWithKey(own, 'POST', change)).status).toBe(200)
  const opened = await openAudit(own)
  const shown = () => opened.page.locator('.fold .what > span').allInnerTexts()
  expect(await shown()).toEqual([
    'Set the clock speed 3 × the normal speed',
    'Set the clock speed half speed',
    'Set the time 12:00 PM',
  ])
  await expectAccessible(opened)
  await opened.page.getByRole('combobox', { name: 'Language' }).selectOption('zh')
  await eventually(async () =>
    expect((await shown()).slice(1)).toEqual(['设置时间流速 半速', '设置游戏时间 12:00']),
  )
})

test('a refused time is shown as it was sent: an empty one is not midnight', async () => {
  await askWithKey(server, 'POST', '/time?value=')
  const { page } = await openAudit()
  const row = page.locator('.fold').first()
  expect(await row.innerText()).toMatch(/Set the time\s+API_KEY \(you\)\s+Refused/)
})

test('older entries are loaded on request, each once, until there are no more', async () => {
  const { page } = await openAudit()
  const rows = page.locator('.fold')
  await eventually(async () => expect(await rows.count()).toBe(50))
  await page.getByRole('button', { name: 'Show older entries' }).click()
  await page.getByRole('button', { name: 'Show older entries' }).waitFor({ state: 'detached' })
  const { entries } = (await askWithKey(server, 'GET', '/audit?limit=500')).json as { entries: unknown[] }
  await eventually(async () => expect(await rows.count()).toBe(entries.length))
})

test('the entries can be filtered by a kind of change and by a key', async () => {
  const { page } = await openAudit()
  const rows = page.locator('.fold')
  await page.getByRole('combobox', { name: 'Key' }).selectOption({ label: 'Robin' })
  await rows.nth(2).waitFor({ state: 'detached' })
  await eventually(async () => expect(await rows.count()).toBe(2))
  await page.getByRole('combobox', { name: 'Action' }).selectOption({ label: 'Set the time' })
  await rows.nth(1).waitFor({ state: 'detached' })
  await eventually(async () => expect(await rows.count()).toBe(1))
  await page.getByRole('combobox', { name: 'Action' }).selectOption({ label: 'Send a chat message' })
  await page.getByText('No entries.').waitFor()
})

test('the download has every entry that matches the filter, also those not shown yet', async () => {
  const opened = await openAudit()
  const { page } = opened
  const rows = page.locator('.fold')
  const downloaded = async () => {
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download', exact: true }).click()
    const download = await downloading
    expect(download.suggestedFilename()).toMatch(/^audit-\d{4}-\d\d-\d\d\.jsonl$/)
    const lines = (await text(await download.createReadStream())).trimEnd().split('\n')
    return lines.map((line) => JSON.parse(line) as unknown)
  }
  const kept = async (query: string) =>
    ((await askWithKey(server, 'GET', `/audit?limit=500${query}`)).json as { entries: unknown[] }).entries
  const all = await downloaded()
  expect(all.length).toBeGreaterThan(await rows.count())
  expect(all).toEqual(await kept(''))
  await page.getByRole('combobox', { name: 'Key' }).selectOption({ label: 'Robin' })
  await page.getByRole('combobox', { name: 'Action' }).selectOption({ label: 'Set the time' })
  await rows.nth(1).waitFor({ state: 'detached' })
  expect(await downloaded()).toEqual([
    expect.objectContaining({ action: 'setTime', key: expect.objectContaining({ name: 'Robin' }) }),
  ])
  await expectGood(opened)
})

test('a download continues when its view is left, and one that is refused leaves the page as it is', async () => {
  const opened = await openAudit()
  const { page } = opened
  const begin = async () => {
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download', exact: true }).click()
    return downloading
  }
  const download = await begin()
  await page.getByRole('link', { name: 'Overview', exact: true }).click()
  expect(await text(await download.createReadStream())).toContain('"createDownload"')
  await page.getByRole('link', { name: 'Audit', exact: true }).click()
  await page.route('**/downloads', async (route) => {
    const response = await route.fetch()
    // Someone else has used the address.
    await (await fetch(new URL((await response.json()).url, `${server.url}/`))).arrayBuffer()
    await route.fulfill({ response })
  })
  expect(await (await begin()).failure()).not.toBeNull()
  await page.getByRole('heading', { name: 'Audit', exact: true }).waitFor()
  await expectGood(opened)
})

test('a newer entry does not move the list: a button announces it', async () => {
  const { page } = await openPage(browser, 'about:blank')
  await page.clock.install()
  await page.goto(`${server.url}/#key=${server.key}`)
  await page.getByRole('link', { name: 'Audit', exact: true }).click()
  await page.locator('.fold').first().waitFor()
  await askWithKey(server, 'POST', '/clock-speed?multiplier=2')
  await page.clock.runFor(11_000)
  await page.getByRole('button', { name: 'Show newer entries' }).waitFor()
  expect(await page.getByText('Set the clock speed').locator('visible=true').count()).toBe(0)
  await page.getByRole('button', { name: 'Show newer entries' }).click()
  await page.locator('.fold').first().getByText('Set the clock speed').waitFor()
})

test('every change that the API or docs/keys-and-records.md names has a description, and can be chosen', async () => {
  const { page } = await openAudit()
  const chosen = await page
    .getByRole('combobox', { name: 'Action' })
    .locator('option')
    .evaluateAll((options) => options.map((option) => (option as HTMLOptionElement).value))
  const changes = endpoints.filter(({ method }) => method !== 'GET').map(({ operationId }) => operationId)
  const records = readFileSync(new URL('../../docs/keys-and-records.md', import.meta.url), 'utf8')
  const [row = ''] = /^\| `action` .*$/m.exec(records) ?? []
  const others = [...row.matchAll(/; `(\w+)`/g)].map(([, action = '']) => action)
  expect(others).toContain('chat_send')
  expect([...changes, ...others].filter((action) => !chosen.includes(action))).toEqual([])
})

test('an interrupted download has failed in the browser too, which keeps nothing of it', async () => {
  const entry = { id: '5', at: new Date().toISOString(), requestId: 'one', address: '192.0.2.7' }
  const asked = { ...entry, action: 'setTime', parameters: {}, origin: 'local', outcome: 'done' } as const
  const records: Partial<Records> = {
    async audit({ before }) {
      if (before !== undefined) throw new FarmError({ kind: 'unavailable' })
      return { entries: [asked], next: '5' }
    },
  }
  const broken = await nodeServer({ server: { records: { ...memoryRecords(), ...records } } })
  onTestFinished(() => broken.stop())
  const { page } = await openAudit(broken)
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download', exact: true }).click()
  expect(await (await downloading).failure()).not.toBeNull()
})
