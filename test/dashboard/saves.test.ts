/** Saves in the view of the backups, and the allowlist next to the people. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { loadSave, saveName } from '../../bridges/simulated/save-files.ts'
import type { BackupList } from '../../handlers/backup-list.ts'
import { eachEntry } from '../../services/archives/read-archive.ts'
import { clover } from '../backups/saved-farm.ts'
import { zippedSave } from '../backups/zipped-save.ts'
import { askWithKey, expectProblem } from '../contract/request.ts'
import { pointTo } from '../game-server/saved-game.ts'
import { newFolder } from '../new-folder.ts'
import { noBackups } from '../records/no-backups.ts'
import { type NodeServer, nodeServer } from '../runtime/node/node-server.ts'
import { plainDriver } from '../services/host/plain-driver.ts'
import { zipOf } from '../services/mods/farm-mods.ts'
import { eventually } from '../wait.ts'
import { expectAccessible, expectGood, openPage, openView } from './open-page.ts'
import { browser } from './shared-browser.ts'

const server = await nodeServer({ driver: plainDriver({ can: { console: false, log: true } }) })
const { json } = await askWithKey(server, 'GET', '/status')
const { farmName, season, day, year } = Object(json)
server.saved.save({ farmName, farmId: 1, date: { season, day, year } })
afterAll(() => server.stop())

const thistle = { ...clover, farmName: 'Thistle', farmId: 42 }
const file = async () => ({
  name: 'farm.zip',
  mimeType: 'application/zip',
  buffer: await zippedSave(thistle),
})

test('on a phone and in Chinese: one that exists cannot be added, and says what to do', async () => {
  server.saved.save(thistle)
  const look = { size: 'phone', locale: 'zh-CN', colorScheme: 'dark' } as const
  const opened = await openPage(browser, `${server.url}/#key=${server.key}`, look)
  const { page } = opened
  await page.locator('nav').waitFor()
  await page.evaluate(() => location.assign('#/saves'))
  await page.getByRole('button', { name: '添加存档…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(/^存档的 zip/).setInputFiles(await file())
  await dialog.getByText('已有存档 Thistle_42。').waitFor()
  expect(await dialog.getByRole('button', { name: '添加', exact: true }).isDisabled()).toBe(true)
  await expectAccessible(opened)
})

test('where farmgate sees no saves, it says to an admin what to set, and to others only that', async () => {
  const absent: BackupList = { backups: [], state: { saves: 'absent', nextAfter: 'game day' } }
  const farm = await nodeServer({ server: { backups: { ...noBackups, backups: async () => absent } } })
  onTestFinished(() => farm.stop())
  const { page } = await openView(browser, farm, 'saves')
  await page.getByRole('heading', { name: 'Not set up' }).waitFor()
  await page.getByText('SAVES_DIR').waitFor()
  const { key } = await farm.records.of('local').makeKey({ name: 'reader', scopes: ['read'] })
  const reading = await openView(browser, { url: farm.url, key }, 'saves')
  await reading.page.getByText('farmgate cannot see the saves').waitFor()
  expect(await reading.page.getByText('SAVES_DIR').count()).toBe(0)
  expect(await reading.page.getByRole('alert').count()).toBe(0)
})

/** Drops files on a field, as a file manager does. */
async function drop(page: Page, field: Locator, files: readonly string[]) {
  const box = (await field.boundingBox()) ?? expect.fail('the field is hidden')
  const debug = await page.context().newCDPSession(page)
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await debug.send('Input.dispatchDragEvent', {
      type,
      x: box.x + box.width / 2,
      y: box.y + box.height / 2,
      data: { items: [], files: [...files], dragOperationsMask: 1 },
    })
}

test('on a phone and in Chinese a farm and three mods are brought from a laptop: the farm is played, and players get the mods', async () => {
  const printed = plainDriver()
  const farm: NodeServer = await nodeServer({
    driver: {
      ...printed,
      async type(line) {
        const [, name = ''] = /^saves import (\S+) --reload$/.exec(line) ?? []
        const { farmName = '' } = loadSave(farm.saved.saves, name) ?? {}
        await farm.bridge.newGame({ farmName })
        printed.print(`Imported '${name}' as-is. Reloading to apply…`)
      },
    },
  })
  onTestFinished(() => farm.stop())
  farm.saved.save({ farmName: 'Old', farmId: 7 })
  for (const { id } of (await farm.bridge.players()).players) farm.bridge.controls.leave(id)
  const brought = { ...thistle, date: { season: 'spring', day: 1, year: 1 } } as const
  const opened = await openPage(browser, `${farm.url}/#key=${farm.key}`, { size: 'phone', locale: 'zh-CN' })
  const { page } = opened
  await page.locator('nav').waitFor()
  const view = (name: string) => page.evaluate((hash) => location.assign(hash), `#/${name}`)
  await view('saves')
  await page.getByRole('button', { name: '添加存档…' }).click()
  const dialog = page.getByRole('dialog')
  const { promise: isShown, resolve: shown } = Promise.withResolvers<void>()
  await page.route('**/saves?dryRun=true', async (route) => {
    await isShown
    await route.continue()
  })
  const buffer = await zippedSave(brought)
  await dialog
    .getByLabel(/^存档的 zip/)
    .setInputFiles({ name: 'Thistle_42.zip', mimeType: 'application/zip', buffer })
  await dialog.getByRole('progressbar', { name: '正在上传' }).waitFor()
  shown()
  await dialog.getByText('Server, Abby, Robin & Lewis').waitFor()
  expect(loadSave(farm.saved.saves, saveName(brought))).toBeUndefined()
  await dialog.getByRole('button', { name: '添加', exact: true }).click()
  await dialog.getByText('已添加 Thistle。').waitFor()
  await page.keyboard.press('Escape')
  const row = page.locator('.fold').filter({ hasText: 'Thistle' })
  await row.locator('summary').click()
  await row.getByRole('button', { name: '载入…' }).click()
  await dialog.getByRole('button', { name: '载入', exact: true }).click()
  await row.getByText('使用中').waitFor()
  expect(await dialog.count()).toBe(0)
  expect((await askWithKey(farm, 'GET', '/status')).json).toMatchObject({ farmName: 'Thistle' })

  await view('mods')
  const folder = newFolder()
  const zips = {
    'whole.zip': zipOf({ Whole: { id: 'A.Whole' } }, { 'Whole/config.json': 'secret' }),
    'pack.zip': zipOf({ Pack: { id: 'A.Pack', contentFor: 'A.Base' } }),
    'broken.zip': zipOf({}, { 'Broken/manifest.json': '{' }),
  }
  for (const [name, content] of Object.entries(zips)) writeFileSync(join(folder, name), content)
  await drop(
    page,
    page.locator('input[type=file]'),
    Object.keys(zips).map((name) => join(folder, name)),
  )
  await page.getByText('已安装Whole 1.0.0').waitFor()
  await page.getByText('已安装Pack 1.0.0').waitFor()
  await page.getByText('Broken/manifest.json is not JSON').waitFor()
  const mod = (name: string) => page.locator('.fold').filter({ has: page.getByText(name, { exact: true }) })
  await mod('Pack').getByText('需要A.Base，但尚未安装。').first().waitFor()
  await mod('Pack').locator('summary').click()
  await mod('Pack').getByRole('button', { name: '禁用' }).click()
  await mod('Pack').getByText('已禁用', { exact: true }).waitFor()
  await mod('Whole').locator('summary').click()
  await mod('Whole').getByRole('button', { name: '禁用' }).click()
  await mod('Whole').getByText('已禁用', { exact: true }).waitFor()
  await mod('Whole').locator('summary').click()
  await mod('Whole').getByRole('button', { name: '启用' }).click()
  await mod('Whole').getByText('已启用', { exact: true }).waitFor()
  await expectAccessible(opened)
  await page.getByRole('button', { name: '创建链接' }).click()
  const link = (await page.getByRole('link', { name: '下载 zip 文件' }).getAttribute('href')) ?? ''
  await expectGood(opened)

  const player = await browser.newPage()
  onTestFinished(() => player.close())
  const [download] = await Promise.all([
    player.waitForEvent('download'),
    player.goto(link).catch(() => undefined),
  ])
  expect(download.suggestedFilename()).toBe('mods.zip')
  const names: string[] = []
  await download.saveAs(join(folder, 'mods.zip'))
  await eachEntry(join(folder, 'mods.zip'), async ({ fileName }) => void names.push(fileName))
  expect(JSON.stringify(farm.log)).not.toContain(new URL(link).searchParams.get('link'))
  expect(names.sort()).toEqual(['README.txt', 'SHA256SUMS', 'Whole/Mod.dll', 'Whole/manifest.json'])
})

test('a file that is not a save is refused with the reason', async () => {
  const { page } = await openView(browser, server, 'saves')
  await page.getByRole('button', { name: 'Add a save…' }).click()
  const dialog = page.getByRole('dialog')
  const buffer = Buffer.from('no zip')
  await dialog
    .getByLabel(/^Zip with the save/)
    .setInputFiles({ name: 'a.zip', mimeType: 'application/zip', buffer })
  await dialog.getByRole('alert').filter({ hasText: 'The archive is refused' }).waitFor()
})

test('loading another save says what is lost, and without a console shows the line to type', async () => {
  server.saved.save(thistle)
  const opened = await openView(browser, server, 'saves')
  const { page } = opened
  const row = page.locator('.fold').filter({ hasText: 'Thistle' })
  await row.locator('summary').click()
  await row.getByRole('button', { name: 'Load…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(`It stops playing ${farmName}.`).waitFor()
  await dialog.getByRole('button', { name: 'Load it' }).click()
  await dialog.getByText('saves import Thistle_42 --reload').waitFor()
  await expectAccessible(opened)
  expectProblem(await askWithKey(server, 'POST', '/saves/choose?name=Thistle_42'), 501, 'unsupported', {
    line: 'saves import Thistle_42 --reload',
  })
})

test('a save that a person has hosted asks who played that farmer', async () => {
  server.saved.save({ ...thistle, farmName: 'Clematis', farmId: 43, host: 'Robin' })
  const opened = await openView(browser, server, 'saves')
  const { page } = opened
  const row = page.locator('.fold').filter({ hasText: 'Clematis' })
  await row.locator('summary').click()
  await row.getByRole('button', { name: 'Load…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Load it' }).click()
  await dialog.getByRole('alert').filter({ hasText: 'Robin has hosted this save' }).waitFor()
  const choice = dialog.getByLabel('Who played Robin?')
  await choice.selectOption({ label: 'No one: the server takes Robin over' })
  await dialog.getByText('No one can play that farmer again.').waitFor()
  await choice.selectOption({ label: 'Another account…' })
  await dialog.getByLabel('Steam64 or GOG id, digits only').fill('76561198385195600')
  await expectAccessible(opened)
  await dialog.getByRole('button', { name: 'Load it' }).click()
  await dialog.getByText('saves import Clematis_43 --swap-host-to 76561198385195600 --reload').waitFor()
})

test('the view says what the next start of the game does where its pointer names no save', async () => {
  server.saved.save(thistle)
  const { page } = await openView(browser, server, 'saves')
  for (const [name, sentence] of [
    ['Gone_42', 'farmgate corrects it to Thistle_42 before it starts the game.'],
    ['Gone_999', 'The next start of the game creates a new farm: JunimoServer’s pointer names Gone_999'],
    [null, 'The next start of the game creates a new farm: JunimoServer’s pointer names no save.'],
  ] as const) {
    pointTo(server.saved.savesDir, name)
    await page.reload()
    await page.getByText(sentence).waitFor()
  }
  pointTo(server.saved.savesDir, 'Thistle_42')
  await page.reload()
  await page.getByText('Thistle', { exact: true }).waitFor()
  expect(await page.getByText('JunimoServer’s pointer').count()).toBe(0)
})

test('the allowlist is kept next to the people, who show their accounts', async () => {
  const opened = await openView(browser, server, 'people')
  const { page } = opened
  const card = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Allowlist' }) })
  await card.getByText('The game’s API cannot refuse players.').waitFor()
  await card.getByLabel('Account id').fill('76561198000000001')
  await card.getByLabel('Note').fill('Abby')
  await card.getByRole('button', { name: 'Add to the list' }).click()
  await card.getByText('Steam 76561198000000001').waitFor()
  expect((await askWithKey(server, 'GET', '/allowlist')).json).toEqual({
    accounts: [{ platform: 'steam', id: '76561198000000001', note: 'Abby' }],
  })
  await expectAccessible(opened)
  await server.farm.join({ id: 9_001n, name: 'Stranger' })
  await server.farm.say(9_001n, 'hello')
  await page.evaluate(() => {
    location.hash = '#/chat'
  })
  await page.getByText('Stranger is not on the allowlist').waitFor()
  await page.evaluate(() => {
    location.hash = '#/people'
  })
  await card.getByRole('button', { name: 'Remove Abby' }).click()
  await card.getByText('The list is empty').waitFor()
  await eventually(async () =>
    expect((await askWithKey(server, 'GET', '/allowlist')).json).toEqual({ accounts: [] }),
  )
  await server.farm.leave(9_001n)
  await expectGood(opened)
})
