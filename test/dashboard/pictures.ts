/** `npm run pictures`: makes the pictures of docs/pictures/ from a simulated farm and a process that stands for its game, in Chromium. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { ChatHistory } from '../../handlers/chat/history.ts'
import { chatMessage } from '../../handlers/chat/messages.ts'
import { systemClock } from '../../lib/clock.ts'
import { commandDriver } from '../../services/host/command-driver.ts'
import { launchBrowser } from '../browser.ts'
import { silent } from '../logs.ts'
import { eventually } from '../wait.ts'
import { takeAccounts } from './account-pictures.ts'
import { commandGame } from './command-game.ts'
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

/** Opens a view in a browser of its own. */
async function opened(view: string, look: Parameters<typeof browser.newContext>[0]) {
  const context = await browser.newContext({ ...look, locale: 'en-US', timezoneId, reducedMotion: 'reduce' })
  const page = await context.newPage()
  await page.goto(`${farm.url}/#key=${farm.key}`)
  await page.getByText('Live', { exact: true }).waitFor()
  await page.evaluate((name) => location.assign(`#/${name}`), view)
  await isDrawn(page)
  return page
}

const take = async (page: Page, name: string) =>
  writeFile(new URL(`${name}.png`, folder), await page.screenshot())

/** What a game server prints at its start. */
const printed = [
  '[SMAPI] SMAPI 4.3.2 with Stardew Valley 1.6.15 on Unix',
  '[SMAPI] Loaded 4 mods:',
  '[SMAPI]    Automate 2.3.1 by Pathoschild',
  '[SMAPI]    JunimoServer 1.5.0',
]

/** A restart with one warning, a backup and two players online: the dialog, the warning, and all of its steps. */
async function takeRestart() {
  const page = await opened('server', { colorScheme: 'light', viewport: wide() })
  await page.getByText('Robin joined').waitFor()
  await page.getByRole('button', { name: 'Restart…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Warn the players').selectOption('1 minute before')
  await dialog.getByLabel('Reason').fill('new mods')
  await take(page, 'restart-dialog')
  await dialog.getByRole('button', { name: 'Restart', exact: true }).click()
  await page.getByText('Warning the players').waitFor()
  await take(page, 'restart-warning')
  const row = page.locator('.fold').filter({ hasText: 'Restart the game' })
  await row
    .locator('.tag')
    .getByText('Done')
    .waitFor({ timeout: 3 * minute })
  await row.locator('summary').click()
  await take(page, 'restart-done')
  await page.context().close()
}

/** The farms of the fleet's page, which no simulated farm has: name, trouble, players, backup, token, tags and note. */
const fleet = [
  ['alder', [], 3, 2, 171, ['eu', 'paid'], ''],
  ['birch', ['backup_failing'], 1, 31, 164, ['us'], 'Disk is full; owner notified'],
  ['clover', [], 0, 5, 120, ['eu'], ''],
  ['daisy', ['offline'], 0, 9, 88, ['us', 'paid'], 'Moves to a new machine'],
  ['elm', ['token_expiring', 'version_old'], 2, 4, 11, ['eu'], ''],
  ['fern', [], 7, 1, 143, ['eu', 'paid'], ''],
  ['gorse', ['never_linked'], undefined, undefined, undefined, ['us'], 'New since Monday'],
  ['hazel', [], 4, 3, 97, ['us'], ''],
  ['iris', ['game_offline'], 0, 12, 66, ['eu'], ''],
  ['juniper', [], 2, 6, 152, ['us', 'paid'], ''],
] as const

async function takeFleet() {
  const context = await browser.newContext({ viewport: wide(), locale: 'en-US', colorScheme: 'light' })
  const page = await context.newPage()
  const built = new URL('../../dist/dashboard/fleet/index.html', import.meta.url)
  const farms = fleet.map(([name, trouble, players, backupAgeHours, tokenDays, tags, note]) => ({
    farm: name,
    createdAt: new Date(now).toISOString(),
    linked: backupAgeHours !== undefined,
    trouble,
    tags,
    note,
    ...(players !== undefined && { players, maxPlayers: 8, backupAgeHours, tokenDays }),
    ...(players !== undefined && { version: '1.5.0', farmgateVersion: name === 'elm' ? '0.3.0' : '0.4.0' }),
  }))
  await page.route('**/fleet/', async (route) => route.fulfill({ path: fileURLToPath(built) }))
  await page.route('**/farms', async (route) => route.fulfill({ json: { farms } }))
  await page.route('**/farms/actions', async (route) => route.fulfill({ json: { actions: [] } }))
  await page.goto(`${farm.url}/fleet/`)
  await page.getByLabel('Key', { exact: true }).fill('a key')
  await page.keyboard.press('Enter')
  for (const name of ['birch', 'elm']) await page.getByLabel(`Select ${name}`).check()
  await take(page, 'fleet')
  await context.close()
}

// The players on the farm at first left before anyone here came.
let ago = 200 * minute
const temporary = await mkdtemp(join(tmpdir(), 'farmgate-pictures-'))
const process = commandGame(temporary)
const driver = commandDriver(process.variables, { clock: systemClock, log: silent, env: {} })
for (const line of printed) process.print(line)
process.begin()
for (const name of ['Abby', 'Robin']) process.print(`[SMAPI] ${name} joined`)
const farm = await livingFarm({
  now: () => Date.now() - ago,
  story: 'steered',
  past,
  chatLines: new ChatHistory(lines.length + 1, lines),
  driver,
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
    const page = await opened(view, look)
    await take(page, name)
    await page.context().close()
  }
  for (const player of (await farm.game.players()).players)
    if (player.name === 'Marnie') controls.leave(player.id)
  await takeRestart()
  await takeFleet()
  await takeAccounts(browser, { colorScheme: 'light', viewport: wide() }, take)
} finally {
  await close()
  await farm.stop()
  process.end()
  await rm(temporary, { recursive: true })
}
