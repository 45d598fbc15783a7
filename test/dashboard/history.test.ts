/** The history: what it loads, and its charts and tables. */

import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { lonely, seriesOf } from '../../dashboard/views/history/span.ts'
import { askWithKey } from '../contract/request.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { eventually } from '../wait.ts'
import { expectAccessible, expectGood, openPage, openView } from './open-page.ts'
import { livePastDay, resourceCharts } from './past-day.ts'
import { browser } from './shared-browser.ts'

const server = await nodeServer()
livePastDay(server.records, Date.now())
afterAll(() => server.stop())

async function openHistory() {
  const opened = await openView(browser, server, 'history')
  await opened.page.getByRole('img', { name: 'Players' }).waitFor()
  return opened
}

test('opening the history loads at most 30 kB more with gzip, and nothing of it is loaded earlier', async () => {
  const { page, asked } = await openPage(browser, `${server.url}/#key=${server.key}`)
  await page.getByRole('link', { name: 'Chat' }).click()
  await page.getByRole('log').waitFor()
  const before = asked.length
  await page.getByRole('link', { name: 'History' }).click()
  await page.getByRole('img', { name: 'Players' }).waitFor()
  const loaded = asked.slice(before).filter((url) => url.includes('/assets/'))
  expect(loaded.some((url) => /history-[\w-]+\.js$/.test(url))).toBe(true)
  expect(asked.filter((url) => url.includes('history-')).every((url) => loaded.includes(url))).toBe(true)
  const bytes = loaded.map((url) => {
    const name = new URL(url).pathname.slice(1)
    return gzipSync(readFileSync(new URL(`../../dist/dashboard/${name}`, import.meta.url))).byteLength
  })
  expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(30_000)
})

test("the table of the samples has the server's answer for the shown time", async () => {
  const opened = await openHistory()
  const { page, asked } = opened
  const before = asked.length
  await page.getByLabel('An hour', { exact: true }).check()
  await eventually(() => asked.slice(before).some((url) => url.includes('/history/samples')))
  await opened.settled()
  const [, query = ''] = asked.findLast((url) => url.includes('/history/samples'))?.split('?') ?? []
  const { json } = await askWithKey(server, 'GET', `/history/samples?${query}`)
  const { samples } = json as { samples: { memoryMb: { mean: number } }[] }
  await page.getByText('Samples as a table').click()
  const table = page.getByRole('table', { name: 'Samples as a table' }).getByRole('row')
  await table.nth(samples.length).waitFor()
  const rows = await table.allInnerTexts()
  expect(rows).toHaveLength(samples.length + 1)
  const newest = samples.at(-1)?.memoryMb.mean ?? 0
  expect(rows[1]).toContain(String(Number(newest.toPrecision(3))))
  await expectAccessible(opened)
  await expectGood(opened)
})

test('the history has a chart of each resource', async () => {
  const { page } = await openHistory()
  for (const name of resourceCharts) await page.getByRole('img', { name }).waitFor()
})

test("players' sessions and the days of the game are drawn and listed in tables; a hostile name is text", async () => {
  const opened = await openHistory()
  const { page } = opened
  await eventually(async () => expect(await page.locator('.timeline .visit').count()).toBe(4))
  await page.getByText('8 sessions as a table').click()
  const sessions = page.getByRole('table', { name: 'Who was online' })
  await sessions.getByRole('row').filter({ hasText: 'Abby' }).nth(2).waitFor()
  expect(await sessions.getByRole('row').filter({ hasText: 'Abby' }).count()).toBe(3)
  expect(await sessions.getByRole('row').filter({ hasText: '<b>Sam</b>' }).count()).toBe(2)
  await page.getByText('6 game days as a table').click()
  const days = page.getByRole('table', { name: 'Days' }).getByRole('row')
  await days.nth(6).waitFor()
  expect((await days.allInnerTexts())[1]).toContain('Spring 8, year 2')
  await expectAccessible(opened)
  await expectGood(opened)
})

/** The history, where its outages have that answer. */
async function historyWith(answer: { readonly status?: number; readonly json: object }) {
  const { page } = await openView(browser, server, 'chat')
  await page.route('**/history/outages**', (route) => route.fulfill(answer))
  await page.getByRole('link', { name: 'History' }).click()
  await page.getByRole('img', { name: 'Players' }).waitFor()
  return page
}

test('a short outage is seen in the share of the time without one', async () => {
  const page = await historyWith({ json: { outages: [], share: 0.9997 } })
  await page.getByText('Without an outage: 99.97 % of this period.').waitFor()
})

test.each([
  ['at its own address', 404, 'not_found'],
  ['at an edge of this release', 501, 'unsupported'],
])(
  'a farm of an earlier release, which has no outages, shows the rest of its history %s',
  async (_where, status, code) => {
    const page = await historyWith({ status, json: { success: false, error: 'No', code } })
    await page.getByText('8 sessions as a table').waitFor()
    expect(await page.getByText('Without an outage').count()).toBe(0)
    expect(await page.getByRole('alert').count()).toBe(0)
  },
)

test('an hour and a month are requested by their lengths, up to the time of the farm', async () => {
  const { page, asked } = await openHistory()
  for (const [label, seconds] of [
    ['An hour', 3_600],
    ['A month', 30 * 86_400],
  ] as const) {
    await page.getByLabel(label, { exact: true }).check()
    await eventually(() => {
      const url = new URL(asked.filter((one) => one.includes('/history/samples')).at(-1) ?? '')
      const [from, to] = ['from', 'to'].map((name) => Date.parse(url.searchParams.get(name) ?? ''))
      expect(((to ?? 0) - (from ?? 0)) / 1000).toBe(seconds)
    })
  }
})

test('the line of a chart breaks where samples are missing, continues over one late sample, and a lone sample is a point', () => {
  const minute = (at: number) => ({
    at: new Date(at * 60_000).toISOString(),
    players: { mean: at, max: at },
  })
  const series = seriesOf({ step: 60, samples: [0, 1, 3, 10, 20, 21].map(minute) }, 'players')
  expect(series.values.map((value) => value?.mean ?? null)).toEqual([0, 1, 3, null, 10, null, 20, 21])
  expect(lonely(series)).toEqual([4])
})

test('a failure is reported where the request was made, and can be tried again', async () => {
  const { page } = await openView(browser, server, 'chat')
  const failing = `${server.url}/history/samples**`
  await page.route(failing, (route) => route.abort())
  await page.getByRole('link', { name: 'History' }).click()
  await page.getByRole('alert').getByText('farmgate does not respond.').waitFor()
  await page.unroute(failing)
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('img', { name: 'Players' }).waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
})
