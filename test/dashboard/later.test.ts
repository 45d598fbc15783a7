/** The parts of the page that load when first shown. */

import { afterAll, expect, test } from 'vitest'
import { nodeServer } from '../runtime/node/node-server.ts'
import { isLive, openPage } from './open-page.ts'
import { livePastDay } from './past-day.ts'
import { browser } from './shared-browser.ts'

const server = await nodeServer()
livePastDay(server.records, Date.now())
afterAll(() => server.stop())

test('a failed load of a view, or of what draws QR codes, is reported with its cause in the console, and another try loads it', async () => {
  const opened = await openPage(browser, `${server.url}/#key=${server.key}`)
  const { page, complaints } = opened
  await isLive(opened)
  for (const [files, role, name, shownRole, shown] of [
    ['**/assets/qr-code-*.js', 'button', /^Show as QR code/, 'img', /^QR code of/],
    ['**/assets/history-*.js', 'link', 'History', 'heading', 'History'],
  ] as const) {
    await page.route(files, (route) => route.abort())
    await page.getByRole(role, { name }).first().click()
    const alert = page.getByRole('alert')
    await alert.getByText('This part of the page could not be loaded.').waitFor()
    expect(complaints.splice(0)).toEqual([
      expect.stringContaining('Failed to fetch dynamically imported module'),
    ])
    await page.unroute(files)
    await alert.getByRole('button', { name: 'Try again' }).click()
    await alert.waitFor({ state: 'detached' })
    await isLive(opened)
    await page.getByRole(role, { name }).first().click()
    await page.getByRole(shownRole, { name: shown }).waitFor()
    await page.keyboard.press('Escape')
  }
})
