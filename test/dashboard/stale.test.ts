/** What the page shows while farmgate or the game is out of reach: nothing looks well, and buttons wait. */

import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { RunningBrowser } from '../browser.ts'
import { serving } from '../runtime/node/farmgate-process.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { eventually } from '../wait.ts'
import { expectAccessible, isLive, openPage } from './open-page.ts'
import { sharedBrowser } from './shared-browser.ts'

let running: RunningBrowser
beforeAll(async () => {
  running = await sharedBrowser()
})
afterAll(() => running.close())

/** The colours of everything that is green while all is well. */
const green = (opened: Awaited<ReturnType<typeof openPage>>) =>
  opened.page.evaluate(() => {
    const colours = [...document.querySelectorAll('.shell, .shell *')].flatMap((element) =>
      (['', '::before'] as const).flatMap((part) => {
        const { color, backgroundColor, fill } = getComputedStyle(element, part)
        return [color, backgroundColor, fill]
      }),
    )
    const leaf = getComputedStyle(document.documentElement).getPropertyValue('--leaf')
    const probe = document.createElement('i')
    probe.style.color = leaf
    document.body.append(probe)
    const { color } = getComputedStyle(probe)
    probe.remove()
    return colours.filter((one) => one === color).length
  })

test('when farmgate is gone the page says since when, buttons wait and nothing stays green, until it is back', async () => {
  const key = 'key-of-the-test-of-a-farmgate-that-ends'
  const first = await serving({ API_KEY: key, GAME_BRIDGE: 'simulated' })
  const opened = await openPage(running.browser, `${first.url}/#key=${key}`)
  const { page } = opened
  await isLive(opened)
  expect(await green(opened)).toBeGreaterThan(0)
  first.signal('SIGKILL')
  await first.exited
  await page.getByText(/^No connection since \d+:\d\d [AP]M$/).waitFor()
  expect(await green(opened)).toBe(0)
  await expectAccessible(opened)
  await page.getByRole('link', { name: 'Keys', exact: true }).click()
  const make = page.getByRole('button', { name: 'Create a key' })
  await page
    .getByLabel('Name of the person or program')
    .fill('Robin')
    .catch(() => undefined)
  if ((await make.count()) > 0) expect(await make.getAttribute('aria-disabled')).toBe('true')
  await serving({ API_KEY: key, GAME_BRIDGE: 'simulated', API_PORT: new URL(first.url).port })
  await isLive(opened)
  await page.getByRole('link', { name: 'Farm', exact: true }).click()
  await eventually(async () => expect(await green(opened)).toBeGreaterThan(0))
})

test('when the game is gone the buttons that need it wait, and the others do not', async () => {
  const server = await nodeServer()
  onTestFinished(() => server.stop())
  const opened = await openPage(running.browser, `${server.url}/#key=${server.key}`)
  const { page } = opened
  await isLive(opened)
  server.farm.goAway()
  await page.getByText(/^Game offline since /).waitFor()
  expect(await green(opened)).toBe(0)
  await page.getByRole('link', { name: 'Controls', exact: true }).click()
  for (const button of await page.getByRole('button', { name: 'Set', exact: true }).all())
    expect(await button.getAttribute('aria-disabled')).toBe('true')
  await page.getByRole('link', { name: 'Keys', exact: true }).click()
  await page.getByLabel('Name of the person or program').fill('Robin')
  await page.getByRole('button', { name: 'Create a key' }).click()
  await page.getByRole('dialog').locator('.secret').waitFor()
})
