/** The page by keyboard only, without motion, and with hostile names and lines. */

import { afterAll, expect, test } from 'vitest'
import { nodeServer } from '../runtime/node/node-server.ts'
import { expectAccessible, expectGood, inEveryView, isLive, openPage } from './open-page.ts'
import { browser } from './shared-browser.ts'

declare global {
  interface Window {
    /** Every element that has had the focus, and the style of its outline then. */
    focused: (readonly [html: string, outline: string])[]
  }
}

const server = await nodeServer()
afterAll(() => server.stop())

/** Everything visible that a mouse can use, in the order of the page. */
const usable = () =>
  [...document.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, summary')]
    .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.matches(':disabled'))
    .map((one) => one.outerHTML.slice(0, 80))

const noteFocus = () => {
  window.focused = []
  document.addEventListener('focusin', ({ target }) => {
    if (target instanceof HTMLElement)
      window.focused.push([target.outerHTML.slice(0, 80), getComputedStyle(target).outlineStyle])
  })
}

test('Tab reaches everything in every view, and it shows that it has the focus', async () => {
  const opened = await openPage(browser, `${server.url}/#key=${server.key}`)
  const { page } = opened
  await isLive(opened)
  await page.evaluate(noteFocus)
  await inEveryView(opened, async (view) => {
    const expected = await page.evaluate(usable)
    await page.evaluate(() => {
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
      window.focused = []
    })
    const reached = new Set<string>()
    for (let turns = 0; turns < 10 && reached.size < new Set(expected).size; turns += 1) {
      for (let step = 0; step < expected.length / 5; step += 1) await page.keyboard.press('Tab')
      for (const [html, outline] of await page.evaluate(() => window.focused.splice(0)))
        if (expected.includes(html)) {
          reached.add(html)
          expect([view, html, outline]).toEqual([view, html, 'solid'])
        }
    }
    expect([view, expected.filter((one) => !reached.has(one))]).toEqual([view, []])
  })
})

test('with a keyboard only, a person signs in, says a line, opens a dialog and closes it with Escape', async () => {
  const { page } = await openPage(browser, server.url)
  await page.getByLabel('Key', { exact: true }).focus()
  await page.keyboard.type(server.key)
  await page.keyboard.press('Enter')
  await page.getByText('Live', { exact: true }).waitFor()
  // The focus moves to the view that opens.
  const goTo = async (name: string) => {
    await page.getByRole('link', { name, exact: true }).focus()
    await page.keyboard.press('Enter')
    await page.locator('main:focus').waitFor()
  }
  await goTo('Chat')
  await page.getByLabel('Message').focus()
  await page.keyboard.type('by keyboard')
  await page.keyboard.press('Enter')
  await page.getByRole('log').getByText('by keyboard').waitFor()
  await goTo('Farm')
  const qr = page.getByRole('button', { name: /^Show as QR code/ }).first()
  await qr.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('img', { name: /^QR code of/ }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await qr.evaluate((button) => button === document.activeElement)).toBe(true)
})

test('with reduced motion nothing is animated in any view', async () => {
  const opened = await openPage(browser, `${server.url}/#key=${server.key}`, {}, { reducedMotion: 'reduce' })
  await isLive(opened)
  await inEveryView(opened, async (view) => {
    const moving = await opened.page.evaluate(() =>
      [...document.querySelectorAll('*')]
        .filter((one) => {
          const { animationName, transitionDuration } = getComputedStyle(one)
          return animationName !== 'none' || !/^0s(, 0s)*$/.test(transitionDuration)
        })
        .map((one) => one.outerHTML.slice(0, 80)),
    )
    expect([view, moving]).toEqual([view, []])
  })
})

test('an invite code is copied, and its QR code drawn', async () => {
  const { page } = await openPage(
    browser,
    `${server.url}/#key=${server.key}`,
    {},
    { permissions: ['clipboard-read', 'clipboard-write'] },
  )
  const code = (await page.locator('.letters').first().textContent()) ?? ''
  await page.getByRole('button', { name: `Copy: ${code}` }).click()
  await page.getByText('Copied').first().waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(code)
  await page.getByRole('button', { name: `Show as QR code: ${code}` }).click()
  const drawn = page.getByRole('dialog').getByRole('img', { name: `QR code of ${code}` })
  await drawn.locator('path[d^=M]').waitFor()
})

const hostile = [
  ['an image with a handler', '<img src=x onerror=alert(1)>'],
  ['marks that turn the direction', '\u202Egnp.evil\u202C \u2066a\u2069'],
  ['450 emoji', '🐔'.repeat(450)],
  ['a word of 40,000 pixels', 'w'.repeat(3600)],
] as const

test('hostile names and lines are text in every view, and widen none on a phone', async () => {
  const ids = hostile.map((_one, at) => 6208260877024290921n + BigInt(at))
  for (const [at, [, text]] of hostile.entries()) {
    const id = ids[at] ?? 0n
    await server.farm.join({ id, name: text })
    await server.farm.say(id, text)
  }
  const opened = await openPage(browser, `${server.url}/#key=${server.key}`, { size: 'phone' })
  const { page } = opened
  await isLive(opened)
  await inEveryView(opened, async (view) => {
    expect([view, await page.locator('main img').count()]).toEqual([view, 0])
    if (view === '#/chat')
      expect(await page.locator('.said p').allTextContents()).toEqual(
        expect.arrayContaining(hostile.map(([, text]) => text)),
      )
    const wide = await page.evaluate(() => {
      const main = document.querySelector('main')
      return Math.max(
        document.documentElement.scrollWidth - innerWidth,
        (main?.scrollWidth ?? 0) - (main?.clientWidth ?? 0),
      )
    })
    expect([view, wide]).toEqual([view, 0])
    await expectAccessible(opened)
  })
  for (const id of ids) await server.farm.leave(id)
  await expectGood(opened)
})
