/** How the page handles a faulty connection, a faulty game and a wrong clock. */
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { askWithKey } from '../contract/request.ts'
import { startGameServer } from '../game-server/game-server.ts'
import { newFolder } from '../new-folder.ts'
import { serving } from '../runtime/node/farmgate-process.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { eventually } from '../wait.ts'
import { expectGood, goTo, isLive, openPage, openView } from './open-page.ts'
import { browser } from './shared-browser.ts'

const key = 'key-of-the-tests-of-the-line'

test('with a real game server and a restarting farmgate the page says so, comes back without a reload, and no line is lost or doubled', async () => {
  const game = await startGameServer({ snapshotEvery: 50 })
  onTestFinished(() => game.stop())
  const abby = game.world.join('Abby', 6208260877024290921n)
  const env = { API_KEY: key, DATA_DIR: newFolder(), GAME_API_URL: game.url }
  const first = await serving(env)
  const opened = await openPage(browser, `${first.url}/#key=${key}`)
  const { page } = opened
  await isLive(opened)
  await page.getByText('Abby').first().waitFor()
  await page.getByRole('link', { name: 'Chat', exact: true }).click()
  const lines = page.locator('.said p')
  const said: string[] = []
  const say = async (message: string) => {
    game.world.say(abby.name, message)
    said.push(message)
    await eventually(async () => expect(await lines.allTextContents()).toEqual(said))
  }
  await say('before')
  await say('just before')
  await page.evaluate(() => Object.assign(window, { isStill: 'the same page' }))
  // A killed farmgate may lose the lines of its last second. Reading the history writes them to the disk.
  await askWithKey({ ...first, key }, 'GET', '/history/chat')
  first.signal('SIGKILL')
  await first.exited
  await page.getByText('Reconnecting', { exact: true }).waitFor()
  await serving({ ...env, API_PORT: new URL(first.url).port })
  await isLive(opened)
  await eventually(() => expect(game.chat.count).toBeGreaterThan(0))
  await say('after')
  expect(await page.evaluate(() => 'isStill' in window)).toBe(true)
  await page.reload()
  await isLive(opened)
  await eventually(async () => expect(await lines.allTextContents()).toEqual(said))
  await expectGood(opened)
})

const server = await nodeServer()
afterAll(() => server.stop())

test('a festival is shown as such, and that players cannot join until it is over', async () => {
  const { page } = await openView(browser, server, 'farm')
  server.farm.festival(true)
  onTestFinished(() => server.farm.festival(false))
  await page.getByText('Festival', { exact: true }).waitFor()
  await page.getByText('Players cannot join until it ends.').waitFor()
  server.farm.festival(false)
  await page.getByText('Festival', { exact: true }).waitFor({ state: 'detached' })
})

test('a frozen game is shown as frozen', async () => {
  const opened = await openPage(browser, 'about:blank')
  const { page } = opened
  await page.clock.install()
  await page.goto(`${server.url}/#key=${server.key}`)
  await isLive(opened)
  server.farm.freeze()
  onTestFinished(() => server.farm.thaw())
  await eventually(async () => {
    await page.clock.runFor(10_000)
    expect(await page.getByText('The game is frozen').count()).toBe(1)
  })
})

test.each([
  ['behind', -3600_000],
  ['ahead', 3600_000],
])(
  'with a clock that is an hour %s no time is negative or in the future, and the doctor reports it',
  async (_how, off) => {
    const opened = await openPage(browser, 'about:blank')
    const { page } = opened
    await page.clock.install({ time: Date.now() + off })
    await page.goto(`${server.url}/#key=${server.key}`)
    await isLive(opened)
    const id = 6208260877024290921n
    await server.farm.join({ id, name: 'Abby' })
    onTestFinished(() => void server.farm.leave(id))
    await page.getByText('Abby').first().waitFor()
    for (const view of ['farm', 'people', 'backups', 'audit', 'keys']) {
      await goTo(opened, view)
      await opened.settled()
      const text = await page.locator('main').innerText()
      expect([view, text.match(/[-−]\d+ (min|hr|sec)|\b[1-9]\d* hr/g)]).toEqual([view, null])
    }
    await page.evaluate(() => location.assign('#/doctor'))
    const clocks = page.locator('.findings li').filter({ has: page.getByRole('heading', { name: 'Clocks' }) })
    await clocks.getByText('NTP').waitFor()
  },
)
