/** The views with a game server of each supported generation, with real processes on both sides. */

import { expect, onTestFinished, test } from 'vitest'
import { savedFarm } from '../backups/saved-farm.ts'
import { askWithKey } from '../contract/request.ts'
import { startGameServer } from '../game-server/game-server.ts'
import { serving } from '../runtime/node/farmgate-process.ts'
import { eventually } from '../wait.ts'
import { expectGood, inEveryView, isLive, openPage } from './open-page.ts'
import { browser } from './shared-browser.ts'

const key = 'key-of-the-tests-of-every-view'

/** What each view shows of this farm, or of its actions. */
const contents: Readonly<Record<string, readonly string[]>> = {
  farm: ['Junimo', '1:00 PM', 'Spring 5, year 1', 'Open', '1 of 10', 'Abby', 'SABC123'],
  chat: ['Abby', 'heard upstream', 'Send'],
  people: ['1 cabin free', 'Abby', 'Online', '1 visit'],
  history: ['Players', '1 session as a table', 'Abby', 'Without an outage: 100 %'],
  controls: ['It is 1:00 PM.', 'Rendering is off.', 'Take a screenshot'],
  cabins: ['1 of 2 cabins has an owner.', 'Abby'],
  saves: ['Junimo', 'Spring 5, year 1', 'Add a save…'],
  backups: ['Backed up: Spring 5, year 1', 'All backups'],
  mods: ['Not set up', 'MODS_DIR'],
  server: ['Not set up', 'GAME_HOST'],
  schedules: ['No schedules yet.', 'Create a schedule'],
  settings: ['Maximum players', 'New world'],
  doctor: ['No problems found.', 'Running.', 'farmgate found nothing that prevents joining.'],
  keys: ['No named keys yet.', 'Create a key'],
  accounts: ['Not set up', 'SIGN_IN_DISCORD_CLIENT_ID'],
  audit: ['Set the time 1:00 PM\nAPI_KEY (you)\nDone'],
  webhooks: ['No webhooks yet.', 'Create a webhook'],
  discord: ['No Discord servers yet.', 'Create a code'],
}

test.each([
  ['a game server of today', 'before'],
  ['one since September 2026', 'since'],
] as const)(
  'with %s every view has its content, reports no trouble and keeps the policy of the page',
  async (_which, generation) => {
    const game = await startGameServer({ snapshotEvery: 50, generation })
    onTestFinished(() => game.stop())
    const { farmName, season, day, year } = game.world
    const saved = savedFarm()
    onTestFinished(() => saved.remove())
    saved.save({ farmName, date: { season, day, year } })
    const { url } = await serving({
      API_KEY: key,
      GAME_API_URL: game.url,
      SAVES_DIR: saved.savesDir,
      BACKUP_DIR: saved.folder,
    })
    game.world.join('Abby', 6208260877024290921n)
    const opened = await openPage(browser, `${url}/#key=${key}`)
    const { page } = opened
    await isLive(opened)
    await page.getByText('Abby').first().waitFor()
    await eventually(() => expect(game.chat.count).toBeGreaterThan(0))
    game.world.say('Abby', 'heard upstream')
    expect((await askWithKey({ url, key }, 'POST', '/time?value=1300')).status).toBe(200)
    for (const [path, words] of [
      ['/history/sessions', 'Abby'],
      ['/backups', 'spring'],
    ] as const)
      await eventually(async () =>
        expect((await askWithKey({ url, key }, 'GET', path)).text).toContain(words),
      )
    const views: string[] = []
    await inEveryView(opened, async (address) => {
      const view = address.replace('#/', '')
      views.push(view)
      for (const text of contents[view] ?? [])
        await eventually(async () => expect(await page.locator('main').innerText()).toContain(text))
      expect([view, await page.getByRole('alert').allInnerTexts()]).toEqual([view, []])
    })
    expect(views).toEqual(Object.keys(contents))
    await expectGood(opened)
  },
)
