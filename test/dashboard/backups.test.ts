/** The view of the backups, with a farm that has run for nine nights (docs/dashboard.md). */

import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import type { FarmSaves } from '../../bridges/simulated/farm.ts'
import type { Backup, Backups } from '../../client/index.ts'
import { askWithKey } from '../contract/request.ts'
import { noBackups } from '../records/no-backups.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { eventually } from '../wait.ts'
import { livingFarm } from './living-farm.ts'
import { expectAccessible, expectGood, openView } from './open-page.ts'
import { browser } from './shared-browser.ts'

/** The game plays another day than that of the next save that it loads. */
let isWrong = false
const savesOf = (saves: FarmSaves): FarmSaves => ({
  ...saves,
  load(save) {
    const date = saves.load(save)
    if (!isWrong) return date
    isWrong = false
    return date && { ...date, day: date.day + 1 }
  },
})
// Its nights are reported as if they were earlier, or one without a backup would not be missing yet.
const farm = await livingFarm({ story: 'steered', savesOf, now: () => Date.now() - 600_000 })
for (const { id } of (await farm.game.players()).players) farm.game.controls.leave(id)
afterAll(() => farm.stop())

async function openBackups(server: Parameters<typeof openView>[1] = farm) {
  const opened = await openView(browser, server, 'backups')
  await opened.page.getByRole('heading', { name: 'Backups', exact: true }).waitFor()
  return opened
}
const listed = async () => (await askWithKey(farm, 'GET', '/backups')).json as Backups
/** Opens the row of a day of the spring. */
async function openRow(page: Awaited<ReturnType<typeof openBackups>>['page'], day: number) {
  const row = page
    .getByRole('listitem')
    .filter({ hasText: `Spring ${day}, year 1` })
    .last()
  await row.locator('summary').click()
  return row
}

test('the calendar marks the days with a verified backup, and a click narrows the list to one', async () => {
  const { page } = await openBackups()
  const days = page.getByRole('table').getByRole('button', { name: /^Spring .* verified backup/ })
  await days.first().waitFor()
  expect(await days.allInnerTexts()).toEqual(['20', '21', '22', '23', '24', '25', '26', '27', '28'])
  await days.getByText('24').click()
  await page.getByRole('heading', { name: 'Backups of Spring 24, year 1' }).waitFor()
  await eventually(async () => expect(await page.locator('.fold').count()).toBe(1))
  await page.getByRole('button', { name: 'Show all' }).click()
  await eventually(async () => expect(await page.locator('.fold').count()).toBe(9))
})

test('a new backup is shown with its day and size once the server has it', async () => {
  const opened = await openBackups()
  const { page } = opened
  await page.getByRole('button', { name: 'Make a backup now' }).click()
  await page.getByText('The save has not changed since the backup of Spring 28, year 1.').waitFor()
  // The same day, with other content.
  for (const name of readdirSync(farm.savesFolder).filter((one) => !one.startsWith('.')))
    appendFileSync(join(farm.savesFolder, name, 'SaveGameInfo'), '\n')
  await page.getByRole('button', { name: 'Make a backup now' }).click()
  await page.getByText(/^Made and verified: Spring 28, year 1, [0-9.]+ MB\.$/).waitFor()
  const { backups } = await listed()
  expect(backups[0]).toMatchObject({ reason: 'manual' })
  await page.locator('.fold').filter({ hasText: 'manual' }).waitFor()
  await expectGood(opened)
})

test('a download is the archive, under its name', async () => {
  const opened = await openBackups()
  const { page } = opened
  const [{ id }] = (await listed()).backups.slice(-1) as [Backup]
  const row = await openRow(page, 20)
  const downloading = page.waitForEvent('download')
  await row.getByRole('button', { name: 'Download' }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toBe(`${id}.zip`)
  expect(await buffer(await download.createReadStream())).toEqual(
    readFileSync(join(farm.backupsFolder, `${id}.zip`)),
  )
  await expectGood(opened)
})

test('a download of a backup that someone else has deleted is refused where its button is', async () => {
  const { page } = await openBackups()
  const [{ id }] = (await listed()).backups.slice(-1) as [Backup]
  const row = await openRow(page, 20)
  await askWithKey(farm, 'DELETE', `/backups?id=${id}`)
  await row.getByRole('button', { name: 'Download' }).click()
  await row.getByText('This backup no longer exists.').waitFor()
})

test('a played night without a backup is reported, with what to do', async () => {
  const { id } = farm.game.controls.join({ name: 'Abby' })
  farm.game.controls.save()
  const ofSummer = async () => (await listed()).backups.find(({ season }) => season === 'summer')
  await eventually(async () => (await ofSummer()) !== undefined)
  farm.game.controls.leave(id)
  await askWithKey(farm, 'DELETE', `/backups?id=${(await ofSummer())?.id}`)
  const opened = await openBackups()
  await opened.page.getByText('No backup of Summer 1, year 1.').waitFor()
  await opened.page.getByRole('button', { name: 'Make a backup now' }).click()
  await opened.page.getByText('Backed up: Summer 1, year 1').waitFor()
  await opened.page.getByText('No backup of').waitFor({ state: 'detached' })
  await expectGood(opened)
})

test('a restore shows what will be lost, waits for the typed name, and is done when the game plays that day', async () => {
  const opened = await openBackups()
  const { page } = opened
  const row = await openRow(page, 25)
  await row.getByRole('button', { name: 'Restore…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('The progress of today and of 4 more days is lost.').waitFor()
  await expectAccessible(opened)
  const restore = dialog.getByRole('button', { name: 'Restore', exact: true })
  expect(await restore.isDisabled()).toBe(true)
  await dialog.getByLabel('Type Junimo').fill('junim')
  expect(await restore.isDisabled()).toBe(true)
  await dialog.getByLabel('Type Junimo').fill('Junimo')
  await restore.click()
  await dialog.getByText('Restored: the farm continues on Spring 25, year 1.').waitFor()
  expect((await askWithKey(farm, 'GET', '/status')).json).toMatchObject({ season: 'spring', day: 25 })
  await page.locator('.fold').filter({ hasText: 'before a restore' }).waitFor()
  await expectGood(opened)
})

test('while a player is on the farm a restore is unavailable, and the page says why', async () => {
  const { page } = await openBackups()
  const { id } = farm.game.controls.join({ name: 'Abby' })
  onTestFinished(() => void farm.game.controls.leave(id))
  const row = await openRow(page, 22)
  await row.getByRole('button', { name: 'Restore…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Players are online').waitFor()
  await dialog.getByLabel('Type Junimo').fill('Junimo')
  expect(await dialog.getByRole('button', { name: 'Restore', exact: true }).isDisabled()).toBe(true)
  farm.game.controls.leave(id)
  await eventually(
    async () => !(await dialog.getByRole('button', { name: 'Restore', exact: true }).isDisabled()),
  )
})

test('a damaged archive is reported before the page asks for anything', async () => {
  const { page } = await openBackups()
  const { backups } = await listed()
  const file = join(farm.backupsFolder, `${backups.find(({ day }) => day === 22)?.id}.zip`)
  const whole = readFileSync(file)
  writeFileSync(file, whole.subarray(0, whole.length / 2))
  onTestFinished(() => writeFileSync(file, whole))
  const row = await openRow(page, 22)
  await row.getByRole('button', { name: 'Restore…' }).click()
  await page
    .getByRole('alert')
    .getByText('farmgate cannot restore this backup. Nothing was changed.')
    .waitFor()
})

test('a backup is deleted after a question', async () => {
  const { page } = await openBackups()
  const row = await openRow(page, 24)
  await row.getByRole('button', { name: 'Delete…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
  await page
    .getByRole('table')
    .getByRole('button', { name: /^Spring 24/ })
    .waitFor({ state: 'detached' })
  expect((await listed()).backups.some(({ day }) => day === 24)).toBe(false)
})

test('a game that plays another day than that of the backup: the page says that the save from before is restored, and what to do', async () => {
  isWrong = true
  const opened = await openBackups()
  const { page } = opened
  const row = await openRow(page, 26)
  await row.getByRole('button', { name: 'Restore…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Type Junimo').fill('Junimo')
  await dialog.getByRole('button', { name: 'Restore', exact: true }).click()
  const trouble = dialog.getByRole('alert')
  await trouble.getByText('farmgate put the previous save back.').waitFor()
  await trouble.getByText('If the game does not load it either, restart the game.').waitFor()
  await trouble
    .getByText(/plays another farm or day.* is in its place again, and the game plays it$/)
    .waitFor()
  await expectAccessible(opened)
  expect((await askWithKey(farm, 'GET', '/status')).json).toMatchObject({ season: 'spring', day: 25 })
  await dialog.getByRole('button', { name: 'Close' }).click()
  await page.locator('.fold').filter({ hasText: 'before a restore' }).nth(1).waitFor()
  await expectGood(opened)
})

const aBackup: Backup = {
  id: 'Clover-y1-summer-05-20261121T120000000Z',
  madeAt: '2026-11-21T12:00:00.000Z',
  reason: 'day',
  save: 'Clover_123456789',
  farmName: 'Clover',
  season: 'summer',
  day: 5,
  year: 1,
  bytes: 1_843_221,
  offsite: 'none',
}

const states: readonly [
  Backups['backups'],
  Backups['state']['saves'],
  readonly string[],
  Backups['state']['failing']?,
][] = [
  [[], 'absent', ['Mount the folder of the game’s saves']],
  [[], 'mounted', ['farmgate makes the first one after the next night']],
  [[aBackup], 'mounted', ['not verified', 'has not reported a day for 15 minutes'], 'no_day'],
  [
    [{ ...aBackup, offsite: 'failed' }],
    'mounted',
    ['/help/backups#when-a-copy-fails', 'save of this day is not whole'],
    'not_whole',
  ],
  [
    [{ ...aBackup, offsite: 'done' }],
    'mounted',
    ['1 backup has an off-site copy', 'only its reserve of free space'],
    'disk_low',
  ],
  [[aBackup], 'read_only', ['cannot restore them', 'farmgate’s log has the cause'], 'other'],
]

test('each state of the backups is shown with what to do, and an unavailable action has its reason next to the button', async () => {
  let list: Backups = { backups: [aBackup], state: { saves: 'mounted', nextAfter: 'game day' } }
  const server = await nodeServer({ server: { backups: { ...noBackups, backups: async () => list } } })
  onTestFinished(() => server.stop())
  const opened = await openBackups(server)
  const { page } = opened
  for (const [backups, saves, said, failing] of states) {
    list = { backups, state: { saves, failing, nextAfter: 'game day' } }
    await openBackups(server)
    for (const one of said) await page.getByText(one).first().waitFor()
    await expectAccessible(opened)
  }
  await expectGood(opened)
  await page.getByRole('button', { name: 'Make a backup now' }).click()
  const alert = page.locator('.safety').getByRole('alert')
  await alert.getByText('Not available here.').waitFor()
  await alert.getByText('This game server cannot make a backup').waitFor()
})
