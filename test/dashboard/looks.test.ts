/** Every view at the sizes of a phone and of a desktop, in both languages and both colour schemes. */

import type { Page } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { askWithKey } from '../contract/request.ts'
import { livingFarm } from './living-farm.ts'
import { expectAccessible, expectGood, looks, openPage, picture } from './open-page.ts'
import { browser } from './shared-browser.ts'

// A player who leaves moves what is below the list of players.
const farm = await livingFarm({ story: 'steered' })
const headers = { 'Content-Type': 'application/json' }
const bodies = {
  '/keys': { name: 'Robin, moderator', scopes: ['read', 'chat', 'control'] },
  '/webhooks': {
    name: 'Farm channel',
    url: 'http://127.0.0.1:9/',
    events: ['player.joined', 'player.left', 'backup.failed'],
    format: 'discord',
  },
}
for (const [path, body] of Object.entries(bodies))
  await askWithKey(farm, 'POST', path, { headers, body: JSON.stringify(body) })
await askWithKey(farm, 'POST', '/rendering?fps=15')
await askWithKey(farm, 'POST', '/reload')
afterAll(() => farm.stop())

const views = [
  'farm',
  'chat',
  'people',
  'controls',
  'server',
  'schedules',
  'cabins',
  'history',
  'backups',
  'mods',
  'webhooks',
  'discord',
  'keys',
  'audit',
  'settings',
  'doctor',
] as const

describe.each(looks)('$size, $locale, $colorScheme', (look) => {
  const nameOf = (view: string) => `${view}-${look.size}-${look.locale}-${look.colorScheme}`

  test('the page without a key is accessible and keeps its policy', async () => {
    const opened = await openPage(browser, `${farm.url}/`, look)
    await opened.page.getByLabel(look.locale === 'zh-CN' ? '密钥' : 'Key', { exact: true }).waitFor()
    await opened.page.getByRole('heading', { name: 'Junimo' }).waitFor()
    await picture(opened, nameOf('public'))
    await expectAccessible(opened)
    await expectGood(opened)
  })

  test('every view has a title, is accessible, keeps the policy of the page, and nothing in it moves without input', async () => {
    const moving = { reducedMotion: 'no-preference' } as const
    const opened = await openPage(browser, `${farm.url}/#key=${farm.key}`, look, moving)
    const { page } = opened
    expect(await page.evaluate(() => navigator.languages)).toEqual([look.locale])
    for (const view of views) {
      await page.evaluate((name) => location.assign(`#/${name}`), view)
      await page.locator(`nav a[href="#/${view}"][aria-current=page]`).waitFor({ state: 'attached' })
      await page.locator('main [aria-busy=true]').waitFor({ state: 'detached' })
      await opened.settled()
      await picture(opened, nameOf(view))
      expect([view, await page.locator('main h1').isVisible()]).toEqual([view, true])
      await expectAccessible(opened)
      expect([view, await page.evaluate(() => window.shifts.splice(0))]).toEqual([view, []])
    }
    await expectGood(opened)
  })
})

test("on a phone the bar's views keep their places while all views are shown, and a view opens at its top, also after another one that was scrolled down", async () => {
  const { page } = await openPage(browser, `${farm.url}/#key=${farm.key}`, { size: 'phone' })
  await page.getByText('Live', { exact: true }).waitFor()
  await page.evaluate(() => location.assign('#/settings'))
  await page.getByText('Maximum players').waitFor()
  const scrolled = () => page.locator('main').evaluate(({ scrollTop }) => scrollTop)
  await page.getByText('More settings').last().scrollIntoViewIfNeeded()
  expect(await scrolled()).toBeGreaterThan(300)
  await page.getByRole('link', { name: 'Farm', exact: true }).click()
  await page.getByRole('heading', { name: 'Invite players' }).waitFor()
  expect(await scrolled()).toBe(0)
  const bar = page.locator('nav li:is([data-bar=true], .more)')
  const places = () =>
    bar.evaluateAll((items) =>
      items.map((item) => {
        const { x, y, width } = item.getBoundingClientRect()
        return [x, y, width]
      }),
    )
  const closed = await places()
  expect(new Set(closed.map(([, y]) => y)).size).toBe(1)
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('link', { name: 'Doctor' }).waitFor()
  expect(await places()).toEqual(closed)
})

test('a view looks the same whichever views were opened before it', async () => {
  const backwards = views.toReversed()
  // A view first meets the styles of those before it, and then those of all.
  const seen = await Promise.all(
    [[...views, ...views], backwards].map(async (order) => {
      const { page, settled } = await openPage(browser, `${farm.url}/#key=${farm.key}`, { size: 'phone' })
      const found: (readonly [view: string, styles: ReadonlyMap<string, string>])[] = []
      for (const view of order) {
        await page.evaluate((name) => location.assign(`#/${name}`), view)
        await page.locator(`nav a[href="#/${view}"][aria-current=page]`).waitFor({ state: 'attached' })
        await page.locator('main [aria-busy=true]').waitFor({ state: 'detached' })
        await settled()
        found.push([view, await stylesIn(page)])
      }
      return found
    }),
  )
  for (const name of views) {
    const [early, all, backward] = seen.flat().flatMap(([view, styles]) => (view === name ? [styles] : []))
    for (const styles of [early, backward]) {
      // The farm keeps running: players can join or leave between the two.
      const inBoth = [...(styles?.keys() ?? [])].filter((kind) => all?.has(kind))
      expect(inBoth.length).toBeGreaterThan(5)
      for (const kind of inBoth) expect([name, kind, styles?.get(kind)]).toEqual([name, kind, all?.get(kind)])
    }
  }
})

/** The styles of each kind of element in the view, without those that depend on its texts. */
async function stylesIn(page: Page): Promise<ReadonlyMap<string, string>> {
  const found = await page.evaluate(() => {
    const names = ['display', 'gap', 'padding', 'border-width', 'grid-area', 'justify-content', 'font-size']
    return [...document.querySelectorAll('main *')].map((element) => {
      const styles = getComputedStyle(element)
      const kind = [element.parentElement, element].map(
        (one) => `${one?.localName}.${one?.getAttribute('class') ?? ''}`,
      )
      return [kind.join(' '), names.map((name) => styles.getPropertyValue(name)).join('; ')] as const
    })
  })
  return new Map(found)
}
