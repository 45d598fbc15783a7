/** `npm run pictures`: makes the pictures of docs/pictures/ from a simulated farm, in Chromium. */
import { mkdir, writeFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { ChatHistory } from '../../handlers/chat/history.ts'
import { chatMessage } from '../../handlers/chat/messages.ts'
import { launchBrowser } from '../browser.ts'
import { eventually } from '../wait.ts'
import { livingFarm } from './living-farm.ts'

const folder = new URL('../../docs/pictures/', import.meta.url)
const minute = 60_000

/** Who is on the farm, and for how many minutes. */
const people = [
  ['Robin', 184],
  ['Abby', 47],
  ['Marnie', 12],
] as const
/** Who said what, and how many minutes ago. */
const said = [
  ['Robin', 171, 'morning! the parsnips are ready'],
  ['Robin', 169, 'the new coop is up, chickens tomorrow'],
  ['Abby', 44, 'anyone for the mines after lunch?'],
  ['Robin', 42, 'sure, bring food'],
  ['Marnie', 9, 'on my way, still watering'],
] as const

const now = Date.now()
const lines = said.map(([playerName, ago, message], at) => {
  const timestamp = new Date(now - ago * minute).toISOString()
  return { seq: at + 1, text: chatMessage({ playerName, message, timestamp }, at + 1) }
})
const past = {
  people: people.map(([name], at) => ({ playerId: BigInt(at + 1), name })),
  visits: [
    [0, 22, 19.5],
    [1, 21.5, 18],
    [2, 21, 19],
    [1, 9, 6.2],
    [0, 8.5, 5.5],
    ...people.map(([, minutes], at) => [at, minutes / 60, 0] as const),
  ],
  firstDay: { day: 22, year: 1 },
} as const

/** A zone in which it is evening now, so that the times are those of a farm that people play after work. */
const hours = ((20 - new Date(now).getUTCHours() + 36) % 24) - 12
const timezoneId = `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`

const pictures: readonly {
  readonly name: string
  readonly view: string
  readonly colorScheme: 'light' | 'dark'
  readonly viewport: { readonly width: number; readonly height: number }
  readonly time: number
}[] = [
  { name: 'dashboard-light', view: 'farm', colorScheme: 'light', viewport: wide(), time: 1410 },
  { name: 'backups', view: 'backups', colorScheme: 'light', viewport: wide(), time: 1410 },
  { name: 'phone', view: 'chat', colorScheme: 'dark', viewport: { width: 360, height: 740 }, time: 1810 },
]
function wide() {
  return { width: 1280, height: 880 }
}

/** All requests of the view are answered. */
const isDrawn = (page: Page) =>
  eventually(async () => {
    await page.waitForLoadState('networkidle')
    return (await page.locator('main [aria-busy=true]').count()) === 0
  })

// The players on the farm at first left before anyone here came.
let ago = 200 * minute
const farm = await livingFarm({
  now: () => Date.now() - ago,
  story: 'steered',
  past,
  chatLines: new ChatHistory(lines.length + 1, lines),
})
const { browser, close } = await launchBrowser()
try {
  const { controls } = farm.game
  for (const { id } of (await farm.game.players()).players) controls.leave(id)
  for (const [name, minutes] of people) {
    ago = minutes * minute
    controls.join({ name })
  }
  ago = 0
  await mkdir(folder, { recursive: true })
  for (const { name, view, time, ...look } of pictures) {
    await farm.game.setTime(time)
    const context = await browser.newContext({ ...look, locale: 'en-US', timezoneId })
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
