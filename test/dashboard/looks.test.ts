/** Every view, an invitation and the page without a key at the sizes of a phone and of a desktop, in both languages and both colour schemes. */

import type { Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { browser as cookies } from '../accounts/browser.ts'
import { farmWithAccounts } from '../accounts/farm-with-accounts.ts'
import { askWithKey } from '../contract/request.ts'
import { livingFarm } from './living-farm.ts'
import { expectAccessible, expectGood, goTo, looks, type OpenPage, openPage, picture } from './open-page.ts'
import { browser } from './shared-browser.ts'

// A player who leaves moves what is below the list of players.
const { issuer, front, server, stop } = await farmWithAccounts((signIn) =>
  livingFarm({ story: 'steered', signIn }),
)
const address = `${front.url}/#key=${server.key}`
issuer.person = { id: '1005', name: '宋 Robin', groups: [] }
await cookies(front.url).signIn('discord')
const bodies = {
  '/keys': { name: 'Robin, moderator', scopes: ['read', 'chat', 'control'] },
  '/webhooks': {
    name: 'Farm channel',
    url: 'http://127.0.0.1:9/',
    events: ['player.joined', 'player.left', 'backup.failed'],
    format: 'discord',
  },
}
for (const [path, json] of Object.entries(bodies)) await askWithKey(server, 'POST', path, { json })
await askWithKey(server, 'POST', '/rendering?fps=15')
await askWithKey(server, 'POST', '/reload')
const invitation = await askWithKey(server, 'POST', '/invitations', { json: { scopes: ['read', 'chat'] } })
const { hash } = new URL((invitation.json as { readonly url: string }).url)
afterAll(stop)

/** In the order of the navigation, by group. */
const groups = {
  Farm: ['farm', 'chat', 'people', 'history'],
  World: ['controls', 'cabins', 'saves', 'backups', 'mods'],
  Server: ['server', 'schedules', 'settings', 'doctor'],
  Access: ['keys', 'accounts', 'audit', 'webhooks', 'discord'],
}
const views = Object.values(groups).flat()

/** The styles of each view on a phone: after those before it, after those of all, and after those behind it. */
const seen: (readonly [view: string, styles: ReadonlyMap<string, string>])[] = []

async function openView(opened: OpenPage, view: string): Promise<void> {
  await goTo(opened, view)
  await opened.settled()
}

test.each(looks)(
  '$size, $locale, $colorScheme: every view has a title, and nothing in it moves without input; it, an invitation and the page without a key are accessible and keep the policy of the page',
  async (look) => {
    const nameOf = (view: string) => `${view}-${look.size}-${look.locale}-${look.colorScheme}`
    const moving = { reducedMotion: 'no-preference' } as const
    const opened = await openPage(browser, address, look, moving)
    const { page } = opened
    expect(await page.evaluate(() => navigator.languages)).toEqual([look.locale])
    const [isPhone, isChinese] = [look.size === 'phone', look.locale === 'zh-CN']
    for (const view of isPhone && isChinese ? views.toReversed() : views) {
      await openView(opened, view)
      await picture(opened, nameOf(view))
      expect([view, await page.locator('main h1').isVisible()]).toEqual([view, true])
      await expectAccessible(opened)
      expect([view, await page.evaluate(() => window.shifts.splice(0))]).toEqual([view, []])
      if (isPhone) seen.push([view, await stylesIn(page)])
    }
    if (isPhone && !isChinese)
      for (const view of views) {
        await openView(opened, view)
        seen.push([view, await stylesIn(page)])
      }
    await page.locator('nav .own button').dispatchEvent('click')
    await page.getByLabel(isChinese ? '密钥' : 'Key', { exact: true }).waitFor()
    await page.getByRole('heading', { name: 'Junimo' }).waitFor()
    await opened.settled()
    await picture(opened, nameOf('public'))
    await expectAccessible(opened)
    await page.evaluate((invited) => location.assign(invited), hash)
    await page.locator('dialog button.main').first().waitFor()
    await opened.settled()
    await picture(opened, nameOf('invitation'))
    await expectAccessible(opened)
    await expectGood(opened)
  },
)

test('the navigation has four groups, each with its heading, and the views in their order; all fit a window of 657 pixels', async () => {
  const opened = await openPage(browser, address, {}, { viewport: { width: 1200, height: 657 } })
  const { page } = opened
  await page.getByText('Live', { exact: true }).waitFor()
  const nav = page.locator('nav')
  expect(await nav.getByRole('heading').allInnerTexts()).toEqual(Object.keys(groups))
  const links = await nav
    .locator('.group')
    .evaluateAll((all) =>
      all.map((group) =>
        [...group.querySelectorAll('a')].map(({ hash, innerText }) => [hash, innerText.trim()]),
      ),
    )
  expect(links.map((group) => group.map(([hash]) => hash))).toEqual(
    Object.values(groups).map((names) => names.map((name) => `#/${name}`)),
  )
  expect(links.flatMap((group) => group.map(([, name]) => name)).join()).toBe(
    'Overview,Chat,People,History,Controls,Cabins,Saves,Backups,Mods,Process,Schedules,Settings,Doctor,Keys,Accounts,Audit,Webhooks,Discord',
  )
  expect(await nav.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)).toBe(0)
  await expectAccessible(opened)
})

test('on a phone the bar has exactly the four groups, which keep their places while the views of one are shown; a view opens at its top, also after another one that was scrolled down, and its group is highlighted', async () => {
  const { page } = await openPage(browser, address, { size: 'phone' })
  await page.getByText('Live', { exact: true }).waitFor()
  await page.evaluate(() => location.assign('#/settings'))
  await page.getByText('Maximum players').waitFor()
  const scrolled = () => page.locator('main').evaluate(({ scrollTop }) => scrollTop)
  await page.getByText('More settings').last().scrollIntoViewIfNeeded()
  expect(await scrolled()).toBeGreaterThan(300)
  const bar = page.locator('nav').getByRole('button')
  expect(await bar.allInnerTexts()).toEqual(Object.keys(groups))
  const highlighted = () => page.locator('nav button[aria-current=true]').allInnerTexts()
  expect(await highlighted()).toEqual(['Server'])
  const places = () =>
    page.locator('nav .group > button').evaluateAll((items) =>
      items.map((item) => {
        const { x, y, width } = item.getBoundingClientRect()
        return [x, y, width]
      }),
    )
  const closed = await places()
  expect(new Set(closed.map(([, y]) => y)).size).toBe(1)
  await bar.getByText('Farm', { exact: true }).click()
  expect(await page.locator('nav a:visible').allInnerTexts()).toEqual([
    'Overview',
    'Chat',
    'People',
    'History',
  ])
  expect(await places()).toEqual(closed)
  await page.getByRole('link', { name: 'Overview', exact: true }).click()
  await page.getByRole('heading', { name: 'Invite players' }).waitFor()
  expect(await scrolled()).toBe(0)
  expect(await highlighted()).toEqual(['Farm'])
  expect(await page.locator('nav a:visible').count()).toBe(0)
})

test('on a phone a view looks the same whichever views were opened before it', () => {
  for (const name of views) {
    const [early, all, backward] = seen.flatMap(([view, styles]) => (view === name ? [styles] : []))
    for (const styles of [early, backward]) {
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
