/** A farm from a player's computer, a wrong farm and a new one, in the page, on the stand-in with a disk. */
import { readFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import type { GameSave } from '../../bridges/simulated/save-files.ts'
import { upstreamBridge } from '../../bridges/upstream/bridge.ts'
import { defaultLimits } from '../../bridges/upstream/limits.ts'
import { ownersOf } from '../../services/saves/owners.ts'
import { withRightFarm } from '../../services/saves/watch-right-farm.ts'
import { withAccounts } from '../../services/saves/with-accounts.ts'
import { backupsOf, clover, rightFarmOf, savedFarm } from '../backups/saved-farm.ts'
import { zippedSave } from '../backups/zipped-save.ts'
import { askWithKey } from '../contract/request.ts'
import { hostedGame, key } from '../game-server/hosted-game.ts'
import { pointTo, startSavedGame } from '../game-server/saved-game.ts'
import { silent } from '../logs.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { openedFarm } from '../runtime/node/open-farm.ts'
import { plainDriver } from '../services/host/plain-driver.ts'
import { eventually } from '../wait.ts'
import { expectAccessible, expectGood, type Look, openPage, picture } from './open-page.ts'
import { browser } from './shared-browser.ts'

const looks = [
  ['in English on a wide screen', { size: 'wide', locale: 'en-US', colorScheme: 'light' }],
  ['in Chinese on a phone', { size: 'phone', locale: 'zh-CN', colorScheme: 'dark' }],
] as const satisfies readonly (readonly [string, Look])[]

/** A game that plays Clover, whose console farmgate types at. */
async function gameWithConsole(isTyped = true, more: Partial<GameSave> = {}) {
  const saved = savedFarm()
  saved.save(more)
  pointTo(saved.savesDir, 'Clover_123456789')
  const game = await startSavedGame({ savesDir: saved.savesDir, snapshotEvery: 20 })
  const driver = plainDriver()
  const bridge = upstreamBridge({ url: game.url, key: '', log: silent, limits: defaultLimits })
  const rightFarm = rightFarmOf(saved.savesDir, bridge)
  const backups = backupsOf(saved, bridge, { rightFarm })
  const looking = setInterval(() => void rightFarm.tick(), 100)
  const server = await nodeServer({
    saved,
    rightFarm,
    driver: {
      ...driver,
      can: { console: isTyped, log: true },
      async stop(grace) {
        // The real one is without a world for longer.
        game.world.isLoaded = false
        await eventually(async () => expect((await bridge.status()).isOnline).toBe(false))
        await rightFarm.tick()
        await game.stop()
        await driver.stop(grace)
      },
      async start() {
        await game.start()
        await driver.start()
      },
      async type(line) {
        for (const printed of game.type(line)) driver.print(printed)
      },
    },
    server: {
      backups: backups.port,
      game: withAccounts(withRightFarm(bridge, rightFarm), {
        owners: ownersOf(saved.savesDir, bridge.status, () => performance.now()),
        allowlist: async () => [],
      }),
    },
  })
  onTestFinished(async () => {
    clearInterval(looking)
    await server.stop()
    await backups.close()
    await bridge.close()
    await game.end()
  })
  /** From outside: the container is started again. */
  const restart = async (pointer: string) => {
    await game.stop()
    pointTo(saved.savesDir, pointer)
    await game.start()
  }
  return { saved, game, server, restart }
}

test.each(looks)(
  "a farm from a player's computer goes from the browser onto the game server, and its owner stays a farmhand, %s",
  async (_, look) => {
    const { game, server } = await gameWithConsole()
    const opened = await openPage(browser, `${server.url}/#key=${server.key}`, look)
    const { page } = opened
    const named = (en: string, zh: string) => (look.locale === 'en-US' ? en : zh)
    await page.locator('nav').waitFor()
    await page.evaluate(() => location.assign('#/saves'))
    await page.getByRole('button', { name: named('Add a save…', '添加存档…') }).click()
    const dialog = page.getByRole('dialog')
    const oak = { ...clover, farmName: 'Oak', farmId: 7, host: 'Robin', farmhands: ['Sam', 'Penny'] }
    await dialog
      .locator('input[type=file]')
      .setInputFiles({ name: 'Oak_7.zip', mimeType: 'application/zip', buffer: await zippedSave(oak) })
    await dialog.getByText('Robin, Sam, Penny').waitFor()
    await dialog.getByRole('button', { name: named('Add', '添加'), exact: true }).click()
    await dialog.getByText(named('Oak is added.', '已添加 Oak。')).waitFor()
    await page.keyboard.press('Escape')
    const row = page.locator('.fold').filter({ hasText: 'Oak' })
    await row.locator('summary').click()
    await row.getByRole('button', { name: named('Load…', '载入…') }).click()
    await dialog
      .getByLabel(named('Who played Robin?', 'Robin 是谁的角色？'))
      .selectOption({ label: named('Another account…', '其他账号…') })
    await dialog.locator('input').fill('76561198385195600')
    await expectAccessible(opened)
    await picture(opened, `who-played-${look.size}`)
    await dialog.getByRole('button', { name: named('Load it', '载入'), exact: true }).click()
    await row.getByText(named('active', '使用中')).waitFor()
    expect(game.played()).toMatchObject({
      folder: 'Oak_7',
      save: { host: 'Server', farmhands: ['Sam', 'Penny', 'Robin'] },
    })
    const { json } = await askWithKey(server, 'GET', '/farmhands')
    expect(json).toMatchObject({
      farmhands: expect.arrayContaining([
        expect.objectContaining({ name: 'Robin', account: { platform: 'steam', id: '76561198385195600' } }),
      ]),
    })
    await expectGood(opened)
  },
)

test.each(looks)(
  'a wrong farm is shown on every view, and “Load again” brings the expected one back, %s',
  async (_, look) => {
    const { game, server, restart } = await gameWithConsole()
    const opened = await openPage(browser, `${server.url}/#key=${server.key}`, look)
    const { page } = opened
    const named = (en: string, zh: string) => (look.locale === 'en-US' ? en : zh)
    await page.locator('nav').waitFor()
    await eventually(async () => expect(await server.rightFarm.expected()).toMatchObject({ name: 'Clover' }))
    await restart('Gone_999')
    const warning = page.locator('.wrong-farm')
    await warning
      .getByText(
        named(
          'The game plays Junimo (Spring 1, year 1), not Clover (Summer 5, year 1).',
          '游戏正在运行 Junimo',
        ),
      )
      .waitFor()
    for (const view of ['people', 'settings', 'farm']) {
      await page.evaluate((name) => location.assign(`#/${name}`), view)
      await warning.waitFor()
    }
    await expectAccessible(opened)
    await picture(opened, `wrong-farm-${look.size}`)
    await warning.getByRole('button', { name: named('Load Clover again', '重新载入 Clover') }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Clover_123456789').waitFor()
    await picture(opened, `load-again-${look.size}`)
    await expectAccessible(opened)
    await dialog.getByRole('button', { name: named('Load Clover again', '重新载入 Clover') }).click()
    await warning.waitFor({ state: 'detached' })
    expect(game.played()).toMatchObject({ folder: 'Clover_123456789' })
  },
)

test('“Load again” of a farm whose host is a person asks who plays that farmer', async () => {
  const { game, server, restart } = await gameWithConsole(true, { host: 'Robin' })
  await eventually(async () => expect(await server.rightFarm.expected()).toMatchObject({ name: 'Clover' }))
  await restart('Gone_999')
  const { page } = await openPage(browser, `${server.url}/#key=${server.key}`)
  const warning = page.locator('.wrong-farm')
  await warning.getByRole('button', { name: 'Load Clover again' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Who played Robin?').selectOption({ label: 'Another account…' })
  await dialog.getByLabel('Steam64 or GOG id, digits only').fill('76561198385195600')
  await dialog.getByRole('button', { name: 'Load Clover again' }).click()
  await warning.waitFor({ state: 'detached' })
  expect(game.played()).toMatchObject({
    folder: 'Clover_123456789',
    save: { host: 'Server', farmhands: expect.arrayContaining(['Robin']) },
  })
})

test('an earlier day is shown; “Load again” restores the newest backup, or restarts the game where the disk has the day', async () => {
  const { saved, game, server, restart } = await gameWithConsole()
  await eventually(async () => expect(await server.rightFarm.expected()).toMatchObject({ day: 5 }))
  expect((await askWithKey(server, 'POST', '/backups')).json).toMatchObject({ day: 5 })
  const { page } = await openPage(browser, `${server.url}/#key=${server.key}`)
  await page.locator('nav').waitFor()
  saved.save({ date: { season: 'summer', day: 3, year: 1 } })
  await restart('Clover_123456789')
  const warning = page.locator('.wrong-farm')
  await warning
    .getByText('it plays Clover (Summer 3, year 1), and has saved Clover (Summer 5, year 1)')
    .waitFor()
  const again = page.getByRole('button', { name: 'Load Clover again' })
  await again.click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('farmgate restores the newest backup of this farm, of Summer 5, year 1.').waitFor()
  await dialog.getByRole('button', { name: 'Load Clover again' }).click()
  await warning.waitFor({ state: 'detached' })
  expect(game.world).toMatchObject({ farmName: 'Clover', day: 5 })
  saved.save({ date: { season: 'summer', day: 3, year: 1 } })
  await restart('Clover_123456789')
  await warning.waitFor()
  saved.save()
  await page.reload()
  await again.click()
  await dialog.getByText('The save on the disk is of Summer 5, year 1. The game is restarted').waitFor()
  await dialog.getByRole('button', { name: 'Load Clover again' }).click()
  await warning.waitFor({ state: 'detached' })
  expect(game.world).toMatchObject({ farmName: 'Clover', day: 5 })
})

test('“This is right” makes the farm that the game plays the expected one', async () => {
  const { saved, server, restart } = await gameWithConsole()
  await eventually(async () => expect(await server.rightFarm.expected()).toMatchObject({ name: 'Clover' }))
  saved.save({ farmName: 'Fern', farmId: 8 })
  await restart('Fern_8')
  const { page } = await openPage(browser, `${server.url}/#key=${server.key}`)
  const warning = page.locator('.wrong-farm')
  await warning.getByRole('button', { name: 'This is right' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('farmgate expects Fern (Summer 5, year 1) from now on.').waitFor()
  await dialog.getByRole('button', { name: 'This is right' }).click()
  await warning.waitFor({ state: 'detached' })
  expect(await server.rightFarm.expected()).toMatchObject({ name: 'Fern', number: '8' })
})

test('without a console “Load again” sets what the next start loads, restarts the game and shows the steps', async () => {
  const { game, server, restart } = await gameWithConsole(false)
  await eventually(async () => expect(await server.rightFarm.expected()).toMatchObject({ name: 'Clover' }))
  await restart('Gone_999')
  const { page } = await openPage(browser, `${server.url}/#key=${server.key}`)
  const warning = page.locator('.wrong-farm')
  await warning.getByRole('button', { name: 'Load Clover again' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Load Clover again' }).click()
  await dialog.getByText('Stopping the game').waitFor()
  await warning.waitFor({ state: 'detached' })
  expect(game.played()).toMatchObject({ folder: 'Clover_123456789' })
})

/** A farmgate without a console, whose game plays Clover and has Oak next to it, and its view of the saves. */
async function hostedSaves(look?: Look, more: Readonly<Record<string, string>> = {}) {
  const hosted = await hostedGame()
  hosted.save({ farmName: 'Oak', farmId: 7 })
  const { url } = await openedFarm({ ...hosted.env, ...more })
  await eventually(async () =>
    expect((await askWithKey({ url, key }, 'GET', '/status')).json).toMatchObject({ farmName: 'Clover' }),
  )
  const opened = await openPage(browser, `${url}/#key=${key}`, look)
  await opened.page.locator('nav').waitFor()
  await opened.page.evaluate(() => location.assign('#/saves'))
  return { url, hosted, opened, page: opened.page, dialog: opened.page.getByRole('dialog') }
}

test.each(looks)(
  'without a console the page shows the steps of a load, that a failed one is undone, and the loaded save as active, %s',
  async (_, look) => {
    const { hosted, opened, page, dialog } = await hostedSaves(look)
    const named = (en: string, zh: string) => (look.locale === 'en-US' ? en : zh)
    const row = page.locator('.fold').filter({ hasText: 'Oak' })
    const load = async () => {
      await row.getByRole('button', { name: named('Load…', '载入…') }).click()
      await dialog.getByRole('button', { name: named('Load it', '载入'), exact: true }).click()
    }
    hosted.instead.start = async () => {
      delete hosted.instead.start
      // Something else writes the pointer before the game reads it.
      pointTo(hosted.savesDir, 'Gone_5')
      await hosted.game.start()
    }
    await row.locator('summary').click()
    await load()
    await dialog
      .getByText(
        named('It is undone: the game plays the farm from before.', '已撤销：游戏正在运行原来的农场。'),
      )
      .waitFor()
    const preparing = dialog.getByText(named('Setting which farm is loaded', '设置要载入的农场'))
    expect(await preparing.count()).toBe(2)
    await expectAccessible(opened)
    await picture(opened, `load-undone-${look.size}`)
    expect(hosted.game.played()).toMatchObject({ folder: 'Clover_123456789' })
    await page.keyboard.press('Escape')
    await load()
    await row.getByText(named('active', '使用中')).waitFor()
    expect(hosted.game.played()).toMatchObject({ folder: 'Oak_7' })
  },
)

/** The first step of the wizard, with Hazel. */
async function chooseHazel({ page, dialog }: Awaited<ReturnType<typeof hostedSaves>>, locale = 'en-US') {
  const named = (en: string, zh: string) => (locale === 'en-US' ? en : zh)
  await page.getByRole('button', { name: named('New farm…', '新建农场…') }).click()
  await dialog.getByLabel(named('Farm name', '农场名称')).fill(' Hazel ')
  await dialog.getByRole('radio', { name: named('Riverland', '河边农场') }).check()
  await dialog.getByLabel(named('Starting cabins', '初始联机小屋数')).fill('3')
  await dialog.getByLabel(named('Separate wallets', '独立钱包')).selectOption('true')
  await dialog.getByLabel(named('Profit margin (1 is the full price)', '利润率（1为全价）')).fill('0.5')
  await dialog.getByLabel(named('Monsters at night', '夜间在农场生成怪物')).selectOption('true')
}

test.each(looks)(
  'a new farm is created from the page by steps, and the present one stays in the list, %s',
  async (_, look) => {
    const own = await hostedSaves(look)
    const { hosted, opened, page, dialog } = own
    const named = (en: string, zh: string) => (look.locale === 'en-US' ? en : zh)
    await chooseHazel(own, look.locale)
    expect(await dialog.locator('svg.farm-drawing:has(path)').count()).toBe(8)
    await expectAccessible(opened)
    await picture(opened, `new-farm-${look.size}`)
    await dialog.getByRole('button', { name: named('Next', '下一步') }).click()
    for (const sentence of [
      named('What was played on Clover since the last night is lost.', 'Clover 上次过夜之后的进度会丢失。'),
      named('Clover and its backups stay.', 'Clover 及其备份会保留'),
      named('The game starts and creates Hazel (Riverland).', '启动游戏并新建 Hazel（河边农场）'),
      named('If that fails, the game plays Clover again.', '如果失败，游戏会重新运行 Clover。'),
    ])
      await dialog.getByText(sentence).waitFor()
    await expectAccessible(opened)
    await picture(opened, `new-farm-summary-${look.size}`)
    await dialog.getByRole('button', { name: named('Start the new farm', '新建农场') }).click()
    await dialog.getByText(named('Setting which farm is loaded', '设置要载入的农场')).waitFor()
    // Only the test's own time ends this: on a busy machine an operation takes long.
    await dialog.getByText(named('The game plays Hazel.', '游戏正在运行 Hazel。')).waitFor({ timeout: 0 })
    await expectAccessible(opened)
    await picture(opened, `new-farm-done-${look.size}`)
    expect(hosted.game.world).toMatchObject({ farmName: 'Hazel', season: 'spring', day: 1, year: 1 })
    expect(JSON.parse(readFileSync(hosted.settingsPath, 'utf8'))).toMatchObject({
      Game: {
        FarmName: 'Hazel',
        FarmType: 1,
        StartingCabins: 3,
        ProfitMargin: 0.5,
        SpawnMonstersAtNight: 'true',
      },
      Server: { SeparateWallets: true },
    })
    await page.keyboard.press('Escape')
    await page.getByText(named('The game has not saved Hazel yet.', '游戏还没有保存 Hazel。')).waitFor()
    await page.locator('.fold').filter({ hasText: 'Clover' }).waitFor()
    await expectGood(opened)
  },
)

test('after a new farm “Load” brings the farm from before back', async () => {
  const { url, hosted, page, dialog } = await hostedSaves()
  const json = { farmName: 'Hazel', backup: false }
  expect((await askWithKey({ url, key }, 'POST', '/saves/new', { json })).status).toBe(202)
  await page.getByText('The game has not saved Hazel yet.').waitFor({ timeout: 0 })
  // The game plays Hazel before the operation has seen it; another one is refused until then.
  await eventually(async () =>
    expect((await askWithKey({ url, key }, 'GET', '/host/operations')).json).toMatchObject({
      operations: [{ state: 'succeeded' }],
    }),
  )
  const row = page.locator('.fold').filter({ hasText: 'Clover' })
  await row.locator('summary').click()
  await row.getByRole('button', { name: 'Load…' }).click()
  await dialog.getByRole('button', { name: 'Load it' }).click()
  await row.getByText('active').waitFor({ timeout: 0 })
  expect(hosted.game.played()).toMatchObject({ folder: 'Clover_123456789' })
})

test('a new farm that fails shows that the game plays the farm from before', async () => {
  const own = await hostedSaves()
  const { hosted, opened, dialog } = own
  const settings = readFileSync(hosted.settingsPath, 'utf8')
  hosted.instead.start = async () => {
    delete hosted.instead.start
    // Something else writes the pointer before the game reads it.
    pointTo(hosted.savesDir, 'Oak_7')
    await hosted.game.start()
  }
  await chooseHazel(own)
  await dialog.getByRole('button', { name: 'Next' }).click()
  await dialog.getByRole('button', { name: 'Start the new farm' }).click()
  await dialog.getByText('It is undone: the game plays the farm from before.').waitFor({ timeout: 0 })
  await expectAccessible(opened)
  await picture(opened, 'new-farm-undone')
  expect(hosted.game.played()).toMatchObject({ folder: 'Clover_123456789' })
  expect(readFileSync(hosted.settingsPath, 'utf8')).toBe(settings)
})

test('without what a new farm needs the page says what to set, and only an admin sees the button', async () => {
  const { url, page, dialog } = await hostedSaves(undefined, { GAME_HOST: '' })
  const button = page.getByRole('button', { name: 'New farm…' })
  await button.click()
  await dialog.getByText('Set GAME_HOST; see /help/backups#saves.').waitFor()
  const json = { name: 'Robin', scopes: ['control', 'read'] }
  const made = await askWithKey({ url, key }, 'POST', '/keys', { json })
  const { key: ofRobin } = made.json as { readonly key: string }
  const { page: other } = await openPage(browser, `${url}/#key=${ofRobin}`)
  await other.locator('nav').waitFor()
  await other.evaluate(() => location.assign('#/saves'))
  await other.getByText('Oak', { exact: true }).waitFor()
  expect(await other.getByRole('button', { name: 'New farm…' }).count()).toBe(0)
})

test('a settings file that cannot be written is named where a new farm is started', async () => {
  const own = await hostedSaves(undefined, { SETTINGS_PATH: '' })
  const { hosted, dialog } = own
  await chooseHazel(own)
  await dialog.getByRole('button', { name: 'Next' }).click()
  await dialog.getByRole('button', { name: 'Start the new farm' }).click()
  await dialog.getByRole('alert').filter({ hasText: 'SETTINGS_PATH' }).waitFor()
  expect(hosted.asked).toEqual([])
})

test('the wizard works with the keyboard alone, and the step before keeps what was chosen', async () => {
  const look = { size: 'phone', locale: 'en-US', colorScheme: 'light' } as const
  const { opened, page, dialog } = await hostedSaves(look)
  const button = page.getByRole('button', { name: 'New farm…' })
  await button.scrollIntoViewIfNeeded()
  await picture(opened, 'saves-phone')
  await button.press('Enter')
  const name = dialog.getByLabel('Farm name')
  await name.waitFor()
  await page.keyboard.press('Enter')
  expect(await dialog.getByText('Step 1 of 2').count()).toBe(1)
  await page.keyboard.type('Hazel')
  await page.keyboard.press('Tab')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await dialog.getByText('Step 2 of 2').waitFor()
  await dialog.getByText('Hazel (Riverland)').waitFor()
  await page.keyboard.press('ArrowDown')
  await dialog.getByText('farmgate waits until no players are online.').waitFor()
  await picture(opened, 'new-farm-keyboard')
  await dialog.getByRole('button', { name: 'Back' }).press('Enter')
  expect(await name.inputValue()).toBe('Hazel')
  expect(await dialog.getByRole('radio', { name: 'Riverland' }).isChecked()).toBe(true)
})
