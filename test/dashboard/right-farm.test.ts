/** A farm from a player's computer, a wrong farm and a new one, in the page, on the stand-in with a disk. */
import { expect, onTestFinished, test } from 'vitest'
import { upstreamBridge } from '../../bridges/upstream/bridge.ts'
import { defaultLimits } from '../../bridges/upstream/limits.ts'
import { ownersOf } from '../../services/saves/owners.ts'
import { withAccounts } from '../../services/saves/with-accounts.ts'
import { clover, savedFarm } from '../backups/saved-farm.ts'
import { zippedSave } from '../backups/zipped-save.ts'
import { askWithKey } from '../contract/request.ts'
import { pointTo, startSavedGame } from '../game-server/saved-game.ts'
import { silent } from '../logs.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { plainDriver } from '../services/host/plain-driver.ts'
import { expectAccessible, expectGood, type Look, openPage, picture } from './open-page.ts'
import { browser } from './shared-browser.ts'

const looks = [
  ['in English on a wide screen', { size: 'wide', locale: 'en-US', colorScheme: 'light' }],
  ['in Chinese on a phone', { size: 'phone', locale: 'zh-CN', colorScheme: 'dark' }],
] as const satisfies readonly (readonly [string, Look])[]

/** A game that plays Clover, whose console farmgate types at. */
async function gameWithConsole() {
  const saved = savedFarm()
  saved.save()
  pointTo(saved.savesDir, 'Clover_123456789')
  const game = await startSavedGame({ savesDir: saved.savesDir, snapshotEvery: 20 })
  const driver = plainDriver()
  const bridge = upstreamBridge({ url: game.url, key: '', log: silent, limits: defaultLimits })
  const server = await nodeServer({
    saved,
    driver: {
      ...driver,
      async type(line) {
        for (const printed of game.type(line)) driver.print(printed)
      },
    },
    server: {
      game: withAccounts(bridge, {
        owners: ownersOf(saved.savesDir, bridge.status, () => performance.now()),
        allowlist: async () => [],
      }),
    },
  })
  onTestFinished(async () => {
    await server.stop()
    await bridge.close()
    await game.end()
  })
  return { game, server }
}

test.each(looks)(
  "a farm from a player's computer goes from the browser onto the game server, and its owner stays a farmhand, %s",
  async (_, look) => {
    const { game, server } = await gameWithConsole()
    const opened = await openPage(browser, `${server.url}/#key=${server.key}`, look)
    const { page } = opened
    const named = (en: string, zh: string) => (look.locale === 'en-US' ? en : zh)
    await page.locator('nav').waitFor()
    await page.evaluate(() => location.assign('#/backups'))
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
