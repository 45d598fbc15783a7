/** Hostile texts in every view of the page: each is shown as text, and none runs. */
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { FarmError } from '../../handlers/farm-error.ts'
import { keepDay } from '../backups/saved-farm.ts'
import { askWithKey } from '../contract/request.ts'
import { noBackups } from '../records/no-backups.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { expectAccessible, expectGood, goTo, inEveryView, isLive, openPage } from './open-page.ts'
import { browser } from './shared-browser.ts'

/** Each would set `document.title` to `owned`, request something from another host, or break the page. */
const run = "document.title='owned'"
const texts = [
  `<script>${run}</script>`,
  `</script><script>${run}</script>`,
  `<img src=x onerror="${run}">`,
  `<svg onload="${run}">`,
  `<svg><animate onbegin="${run}" attributeName=x dur=1s>`,
  `<iframe srcdoc="<script>parent.${run}</script>"></iframe>`,
  `<details open ontoggle="${run}">`,
  `<input autofocus onfocus="${run}">`,
  `<a href="javascript:${run}">a</a>`,
  `javascript:${run}`,
  `"><b onmouseover="${run}">`,
  `' autofocus onfocus='${run}`,
  `\`\${${run}}\``,
  `{{constructor.constructor("${run}")()}}`,
  `<style>@import 'https://evil.example/x.css'</style>`,
  `<link rel=stylesheet href=https://evil.example/x.css>`,
  '<base href=https://evil.example/>',
  '<meta http-equiv=refresh content="0;url=https://evil.example/">',
  `<!--<img title="--><img src=x onerror=${run}>">`,
  `&lt;img src=x onerror=${run}&gt;`,
] as const

/** Names and lines that would turn what is next to them, or widen the page. */
const wide = [
  '\u202Egnp.evil\u202C \u2066a\u2069',
  '🐔'.repeat(450),
  // A word of 40,000 pixels.
  'w'.repeat(3600),
] as const

const server = await nodeServer()
afterAll(() => server.stop())

const post = (path: string, json: object) => askWithKey(server, 'POST', path, { json })

/** Everything that a stranger, or a holder of a key, can have written. */
async function write(at: number, text: string): Promise<void> {
  const id = 6_208_260_877_024_290_921n + BigInt(at)
  const now = Date.now()
  await server.farm.join({ id, name: text })
  await server.farm.say(id, text)
  // A farm has room for eight; the last ones stay.
  if (at < 16) await server.farm.leave(id)
  const player = { playerId: id, name: text }
  server.records.later.sessionBegan({
    ...player,
    id: (now - at) * 1000,
    joinedAt: now - 60_000 - at,
    seenAt: now - at,
    played: 0,
    joinPath: 'lan',
  })
  const name = text.slice(0, 60)
  expect((await post('/keys', { name, scopes: ['read'] })).status).toBe(201)
  const url = `https://hooks.example/${encodeURIComponent(text)}`
  expect((await post('/webhooks', { name, url, events: ['farm.away'], format: 'standard' })).status).toBe(201)
  await askWithKey(server, 'POST', `/roles/admin?name=${encodeURIComponent(text)}`)
}

/** A backup of a save whose farm has this name. */
async function backUp(farmName: string): Promise<void> {
  const { saved } = server
  saved.save({ farmName }, 'Clover_1')
  await keepDay(saved, farmName, Date.now())
}

test('20 texts that would run as HTML are text in every view: in names, lines, keys, webhooks, backups and the audit; long ones widen none on a phone', async () => {
  for (const [at, text] of texts.entries()) await write(at, text)
  for (const [at, name] of wide.entries()) {
    await server.farm.join({ id: BigInt(at + 1), name })
    await server.farm.say(BigInt(at + 1), name)
  }
  await backUp(texts[2])
  expect((await askWithKey(server, 'GET', '/backups')).text).toContain('<img src=x')
  const opened = await openPage(browser, `${server.url}/#key=${server.key}`, { size: 'phone' })
  const { page } = opened
  await isLive(opened)
  const shown = new Map<string, string>()
  await inEveryView(opened, async (view) => {
    shown.set(view, await page.evaluate(() => document.body.textContent))
    const foreign = await page.evaluate(() => {
      const main = document.querySelector('main')
      return {
        made: document.querySelectorAll(
          'main script, main img[src=x], main iframe, main style, main link, main base, main meta, [onerror], [onload], [onfocus], [ontoggle], [onmouseover], [href^="javascript:"]',
        ).length,
        isOwned: document.title.includes('owned'),
        wider: Math.max(
          document.documentElement.scrollWidth - innerWidth,
          (main?.scrollWidth ?? 0) - (main?.clientWidth ?? 0),
        ),
      }
    })
    expect([view, foreign]).toEqual([view, { made: 0, isOwned: false, wider: 0 }])
  })
  for (const view of ['#/chat', '#/people', '#/keys', '#/webhooks', '#/audit'])
    expect([view, texts.some((text) => shown.get(view)?.includes(text.slice(0, 60)))]).toEqual([view, true])
  for (const text of [...texts, ...wide]) expect(shown.get('#/chat')).toContain(text)
  await expectGood(opened)
})

test('a right-to-left name stays next to its own second line, and to the other rows', async () => {
  const own = await nodeServer()
  onTestFinished(() => own.stop())
  const name = 'مزرعة البرسيم'
  await askWithKey(own, 'POST', '/keys', { json: { name, scopes: ['read'] } })
  const json = { name, cron: '0 5 * * *', do: { action: 'backup' } }
  await askWithKey(own, 'POST', '/schedules', { json })
  const opened = await openPage(browser, `${own.url}/#key=${own.key}`)
  const { page } = opened
  await isLive(opened)
  for (const view of ['keys', 'schedules']) {
    await goTo(opened, view)
    const lefts = await page
      .locator('bdi', { hasText: name })
      .first()
      .evaluate((element) =>
        [element, element.nextElementSibling].map((one) => {
          const text = document.createRange()
          if (one !== null) text.selectNodeContents(one)
          return text.getBoundingClientRect().left
        }),
      )
    expect([view, lefts[0]]).toEqual([view, lefts[1]])
  }
})

/** Text that would reverse neighbouring text, end its line, or fill the page. */
const marks = '\u202e\u2066\u0000\u0007\u200b\u2028'

test('a hostile backup is text in the list and in the restore dialog, asks for a name that can be typed, and an error is text too', async () => {
  const names = [texts[2], `${marks}Clover${marks}`, 'long'.repeat(25_000), marks]
  const typed = [texts[2].slice(0, 40).trim(), 'Clover', 'long'.repeat(10), 'backup-3']
  const backups = names.map((farmName, at) => ({
    id: `backup-${at}`,
    madeAt: '2026-11-21T12:00:00.000Z',
    verifiedAt: '2026-11-21T12:00:00.000Z',
    reason: 'day' as const,
    save: `Clover_${at}`,
    farmName,
    season: 'winter' as const,
    day: 28 - at,
    year: 2 ** 53 - 1,
    bytes: 2 ** 53 - 1,
    offsite: 'failed' as const,
  }))
  const sentence = `${texts[2]}${marks}${'unbroken'.repeat(12_500)}`
  const hostile = await nodeServer({
    server: {
      backups: {
        ...noBackups,
        backups: async () => ({ backups, state: { saves: 'mounted', nextAfter: 'game day' } }),
        makeBackup: () => Promise.reject(new FarmError({ kind: 'disk_failed', detail: sentence })),
        restoreBackup: async (_id, isDryRun) => {
          if (isDryRun) return { message: 'It can be restored' }
          throw new FarmError({ kind: 'restore_refused', sentence })
        },
      },
    },
  })
  onTestFinished(() => hostile.stop())
  for (const { id } of (await hostile.bridge.players()).players) await hostile.farm.leave(id)
  const opened = await openPage(browser, `${hostile.url}/#key=${hostile.key}`, { size: 'phone' })
  const { page } = opened
  await page.evaluate(() => location.assign('#/backups'))
  await page.getByRole('button', { name: 'Make a backup now' }).click()
  await page.getByRole('alert').getByText('The disk of the backups').first().waitFor()
  await expectAccessible(opened)
  for (const [at, name] of typed.entries()) {
    const row = page.locator('.fold').nth(at)
    await row.locator('summary').click()
    await row.getByRole('button', { name: 'Restore…' }).click()
    const dialog = page.getByRole('dialog')
    const restore = dialog.getByRole('button', { name: 'Restore', exact: true })
    await dialog.getByText(`Type ${name} to restore it`, { exact: true }).waitFor()
    expect(await restore.isDisabled()).toBe(true)
    await dialog.getByRole('textbox').fill(name)
    await restore.click()
    await dialog.getByRole('alert').getByText('farmgate cannot restore this backup.').waitFor()
    await expectAccessible(opened)
    await dialog.getByRole('button', { name: 'Close' }).click()
  }
  expect(await page.locator('main img').count()).toBe(0)
  expect(await page.title()).not.toContain('owned')
  await expectGood(opened)
})
