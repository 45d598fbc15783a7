/** `npm run pictures`: makes the pictures of docs/pictures/ from a simulated farm, in Chromium. */
import { mkdir, writeFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { launchBrowser } from '../browser.ts'
import { eventually } from '../wait.ts'
import { livingFarm } from './living-farm.ts'

const folder = new URL('../../docs/pictures/', import.meta.url)
const minute = 60_000

/** Who is on the farm, for how many minutes, and what they have said. */
const people = [
  ['Robin', 184, 'the new coop is up, chickens tomorrow'],
  ['Abby', 47, 'anyone for the mines after lunch?'],
  ['Marnie', 12, 'on my way, still watering'],
] as const

const pictures: readonly {
  readonly name: string
  readonly view: string
  readonly colorScheme: 'light' | 'dark'
  readonly viewport: { readonly width: number; readonly height: number }
  readonly time: number
}[] = [
  { name: 'dashboard-light', view: 'farm', colorScheme: 'light', viewport: wide(), time: 1410 },
  { name: 'dashboard-dark', view: 'farm', colorScheme: 'dark', viewport: wide(), time: 2130 },
  { name: 'backups', view: 'backups', colorScheme: 'light', viewport: wide(), time: 1410 },
  { name: 'phone', view: 'chat', colorScheme: 'dark', viewport: { width: 360, height: 740 }, time: 1810 },
]
function wide() {
  return { width: 1280, height: 880 }
}

/** The view has everything that it asks for. */
const isDrawn = (page: Page) =>
  eventually(async () => {
    await page.waitForLoadState('networkidle')
    return (await page.locator('main [aria-busy=true]').count()) === 0
  })

let ago = 0
const farm = await livingFarm({ now: () => Date.now() - ago, story: 'steered' })
const { browser, close } = await launchBrowser()
try {
  const { controls } = farm.game
  for (const { id } of (await farm.game.players()).players) controls.leave(id)
  for (const [name, minutes, said] of people) {
    ago = minutes * minute
    const entry = controls.join({ name })
    controls.say(entry.id, said)
  }
  ago = 0
  await mkdir(folder, { recursive: true })
  for (const { name, view, time, ...look } of pictures) {
    await farm.game.setTime(time)
    const context = await browser.newContext({ ...look, locale: 'en-US', timezoneId: 'Europe/Berlin' })
    const page = await context.newPage()
    await page.goto(`${farm.url}/#key=${farm.key}`)
    await page.getByText('Live', { exact: true }).waitFor()
    await page.evaluate((opened) => location.assign(`#/${opened}`), view)
    await isDrawn(page)
    await writeFile(new URL(`${name}.png`, folder), await page.screenshot())
    await context.close()
  }
} finally {
  await close()
  await farm.stop()
}
