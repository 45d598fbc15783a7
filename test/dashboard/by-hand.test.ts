/** The page by keyboard only, and without motion. */

import { afterAll, expect, test } from 'vitest'
import { nodeServer } from '../runtime/node/node-server.ts'
import { eventually } from '../wait.ts'
import { inEveryView, isLive, openPage } from './open-page.ts'
import { browser } from './shared-browser.ts'

declare global {
  interface Window {
    /** Every element that has had the focus, and the style of its outline then. */
    focused: (readonly [html: string, outline: string])[]
  }
}

const server = await nodeServer()
afterAll(() => server.stop())

/** Everything visible in a part of the page that a mouse can use. */
const usable = (part: string) =>
  [
    ...document.querySelectorAll<HTMLElement>(
      `${part} :is(a[href], button, input, select, textarea, summary)`,
    ),
  ]
    .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.matches(':disabled'))
    .map((one) => one.outerHTML.slice(0, 80))

const animated = () =>
  [...document.querySelectorAll('*')]
    .filter((one) => {
      const { animationName, transitionDuration } = getComputedStyle(one)
      return animationName !== 'none' || !/^0s(, 0s)*$/.test(transitionDuration)
    })
    .map((one) => one.outerHTML.slice(0, 80))

const noteFocus = () => {
  window.focused = []
  document.addEventListener('focusin', ({ target }) => {
    if (target instanceof HTMLElement)
      window.focused.push([target.outerHTML.slice(0, 80), getComputedStyle(target).outlineStyle])
  })
}

test('in every view Tab reaches everything, which shows that it has the focus, and leaves the view again; nothing is animated with reduced motion', async () => {
  const opened = await openPage(browser, `${server.url}/#key=${server.key}`)
  const { page } = opened
  await isLive(opened)
  await page.evaluate(noteFocus)
  // The parts around a view stay while others are opened.
  let part = 'body'
  await inEveryView(opened, async (view) => {
    expect([view, await page.evaluate(animated)]).toEqual([view, []])
    const expected = await page.evaluate(usable, part)
    await page.evaluate((name) => {
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
      document.querySelector<HTMLElement>(name)?.focus()
      window.focused = []
    }, part)
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
    await eventually(async () => {
      await page.keyboard.press('Tab')
      expect(await page.locator('main :focus').count()).toBe(0)
    })
    part = 'main'
  })
})

test('with a keyboard only, a person signs in, says a line, opens a dialog and closes it with Escape; an invite code is copied, and its QR code drawn', async () => {
  const permissions = { permissions: ['clipboard-read', 'clipboard-write'] }
  const { page } = await openPage(browser, server.url, {}, permissions)
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
  await goTo('Overview')
  const code = (await page.locator('.letters').first().textContent()) ?? ''
  await page.getByRole('button', { name: `Copy: ${code}` }).focus()
  await page.keyboard.press('Enter')
  await page.getByText('Copied').first().waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(code)
  const qr = page.getByRole('button', { name: `Show as QR code: ${code}` })
  await qr.focus()
  await page.keyboard.press('Enter')
  const drawn = page.getByRole('dialog').getByRole('img', { name: `QR code of ${code}` })
  await drawn.locator('path[d^=M]').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await qr.evaluate((button) => button === document.activeElement)).toBe(true)
})
