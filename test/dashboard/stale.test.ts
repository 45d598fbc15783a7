/** The page while farmgate or the game is unreachable: nothing looks healthy, and buttons wait. */

import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { askWithKey } from '../contract/request.ts'
import { wireTo } from '../edge/wire.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { eventually } from '../wait.ts'
import { expectAccessible, isLive, openPage } from './open-page.ts'
import { livePastDay } from './past-day.ts'
import { browser } from './shared-browser.ts'

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

test('when the game is offline the buttons that need it wait, the others do not, and failed reads are repeated when it is back', async () => {
  const server = await nodeServer()
  onTestFinished(() => server.stop())
  await server.farm.join({ id: 6208260877024290921n, name: 'Abby' })
  const opened = await openPage(browser, `${server.url}/#key=${server.key}`)
  const { page } = opened
  await isLive(opened)
  await page.getByRole('link', { name: 'People', exact: true }).click()
  await page.getByLabel('Actions for Abby').click()
  await page.getByRole('button', { name: 'Make admin' }).click()
  const makeAdmin = page.getByRole('dialog').getByRole('button', { name: 'Make admin' })
  expect(await makeAdmin.getAttribute('aria-disabled')).toBe('false')
  server.farm.goOffline()
  await eventually(async () => expect(await makeAdmin.getAttribute('aria-disabled')).toBe('true'))
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('link', { name: 'Overview', exact: true }).click()
  await page.getByText(/^Game offline since /).waitFor()
  expect(await green(opened)).toBe(0)
  await page.getByRole('link', { name: 'Controls', exact: true }).click()
  const set = page.getByRole('button', { name: 'Set', exact: true })
  await set.first().waitFor()
  for (const button of await set.all()) expect(await button.getAttribute('aria-disabled')).toBe('true')
  await page.getByRole('link', { name: 'Keys', exact: true }).click()
  await page.getByLabel('Name of the person or program').fill('Robin')
  await page.getByRole('button', { name: 'Create a key' }).click()
  await page.getByRole('dialog').locator('.secret').waitFor()
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('link', { name: 'People', exact: true }).click()
  await page.getByRole('alert').getByText('The game server cannot be reached.').waitFor()
  server.farm.comeBack()
  await page.getByLabel('Actions for Abby').waitFor()
})

/** How far the first chart is from grey: its greatest difference of red, green and blue. */
const colourOf = (page: Page) =>
  page
    .locator('canvas')
    .first()
    .evaluate((canvas: HTMLCanvasElement) => {
      const { data } = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height) ?? {
        data: [],
      }
      let most = 0
      for (let at = 0; at < data.length; at += 4) {
        const pixel = [data[at] ?? 0, data[at + 1] ?? 0, data[at + 2] ?? 0]
        if ((data[at + 3] ?? 0) > 200) most = Math.max(most, Math.max(...pixel) - Math.min(...pixel))
      }
      return most
    })

/** The buttons of each view that send a request to farmgate; rows are opened first. */
const asking = {
  chat: ['Send'],
  controls: ['Set', 'Take a screenshot'],
  backups: ['Make a backup now', 'Download'],
  webhooks: ['Create a webhook', 'Send a test'],
  discord: ['Create a code'],
  keys: ['Create a key'],
  audit: ['Download'],
  doctor: ['Check again'],
} as const

test('while farmgate is unreachable the page says since when, nothing is green, charts are grey, and the buttons that call it wait in every view, also webhook tests and downloads', async () => {
  const server = await nodeServer()
  const wire = await wireTo(server.url)
  onTestFinished(async () => {
    await wire.stop()
    await server.stop()
  })
  const json = { name: 'Log', url: 'https://hooks.example/', events: ['farm.away'], format: 'text' }
  await askWithKey(server, 'POST', '/webhooks', { json })
  server.saved.save({ farmName: 'Junimo' })
  await askWithKey(server, 'POST', '/backups')
  livePastDay(server.records, Date.now())
  const opened = await openPage(browser, `${wire.url}/#key=${server.key}`)
  const { page } = opened
  await isLive(opened)
  // The cards of the farm load after it; a part that is cut off while it loads needs the page to be loaded again.
  await opened.settled()
  expect(await green(opened)).toBeGreaterThan(0)
  wire.refuse(true)
  wire.cut()
  await page.getByText(/^No connection since \d+:\d\d [AP]M$/).waitFor()
  expect(await green(opened)).toBe(0)
  await expectAccessible(opened)
  await page.getByRole('link', { name: 'Keys', exact: true }).click()
  // This view was not loaded before, so it comes with the connection.
  const make = page.getByRole('button', { name: 'Create a key' })
  expect(await make.count()).toBe(0)
  wire.refuse(false)
  await isLive(opened)
  await make.waitFor()
  await page.getByRole('link', { name: 'Overview', exact: true }).click()
  await eventually(async () => expect(await green(opened)).toBeGreaterThan(0))
  await page.getByRole('link', { name: 'History', exact: true }).click()
  await eventually(async () => expect(await colourOf(page)).toBeGreaterThan(50))
  wire.refuse(true)
  wire.cut()
  await eventually(async () => expect(await colourOf(page)).toBeLessThan(30))
  wire.refuse(false)
  for (const [view, names] of Object.entries(asking)) {
    await isLive(opened)
    await page.evaluate((name) => location.assign(`#/${name}`), view)
    const buttons = (name: string) => page.locator('main').getByRole('button', { name, exact: true })
    await buttons(names[0]).first().waitFor()
    for (const row of await page.locator('main .fold > details > summary').all())
      if (view === 'backups' || view === 'webhooks') await row.click()
    for (const name of names) await buttons(name).first().waitFor()
    wire.refuse(true)
    wire.cut()
    await page.getByText('Reconnecting', { exact: true }).waitFor()
    for (const name of names)
      for (const button of await buttons(name).all())
        expect([view, name, await button.getAttribute('aria-disabled')]).toEqual([view, name, 'true'])
    wire.refuse(false)
  }
})
