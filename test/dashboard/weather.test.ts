/** The state of the farm in words: the night, a pause, a start, an empty farm. */

import { afterAll, expect, onTestFinished, test } from 'vitest'
import { makeKey } from '../contract/http/made-key.ts'
import { startGameServer } from '../game-server/game-server.ts'
import { serving } from '../runtime/node/farmgate-process.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { eventually } from '../wait.ts'
import { expectGood, type OpenPage, openPage, openView } from './open-page.ts'
import { browser } from './shared-browser.ts'

const key = 'key-of-the-tests-of-the-weather'

const abby = { id: 6208260877024290921n, name: 'Abby' }

/** What the page has said of the farm since now, without repetitions. */
async function listen({ page }: OpenPage) {
  await page.locator('.weather').waitFor()
  await page.evaluate(() => {
    const words = document.querySelector('.weather')
    if (words === null) throw new Error('The page says nothing of the farm')
    const said: string[] = []
    const hear = () => {
      const now = [...words.children].map(({ textContent }) => textContent).join(': ')
      if (said.at(-1) !== now) said.push(now)
    }
    Object.assign(window, { said })
    hear()
    new MutationObserver(hear).observe(words, { subtree: true, childList: true, characterData: true })
  })
  return () => page.evaluate(() => ('said' in window ? window.said : undefined))
}

const open = 'Open: Players can join.'
const empty = 'No players online: Players can join.'
const night = 'Saving the day: This takes a moment; players stay connected.'

const starting = 'The farm is starting'
/** Once farmgate knows the cause, it is shown in place of the first sentence. */
const isLoading =
  /The game server is running but has not loaded the world yet\.|The game has no farm loaded\./

// A simulated farm without players.
const server = await nodeServer()
afterAll(() => server.stop())
for (const { id } of (await server.bridge.players()).players) server.bridge.controls.leave(id)

test('an empty farm is shown as empty, and one with a player as open', async () => {
  const opened = await openView(browser, server, 'farm')
  const { page } = opened
  await page.getByText('No players are online.').waitFor()
  const said = await listen(opened)
  await server.farm.join(abby)
  await page.getByText('No players are online.').waitFor({ state: 'detached' })
  await server.farm.leave(abby.id)
  await page.getByText('No players are online.').waitFor()
  await eventually(async () => expect(await said()).toEqual([empty, open, empty]))
})

test('the night is shown while it turns, and then the next day', async () => {
  await server.farm.join(abby)
  const opened = await openView(browser, server, 'farm')
  await opened.page.getByText('Spring 1, year 1').waitFor()
  await opened.page.getByText('No players are online.').waitFor({ state: 'detached' })
  const said = await listen(opened)
  server.bridge.controls.goToBed(abby.id)
  await opened.page.getByText('Spring 2, year 1').waitFor()
  await eventually(async () => expect(await said()).toEqual([open, night, open]))
  await expectGood(opened)
  await server.farm.leave(abby.id)
})

const game = await startGameServer({ snapshotEvery: 50, generation: 'since' })
afterAll(() => game.stop())
game.world.join(abby.name, abby.id)

test('a pause is shown, and that time stands still; a start with a key and without one; and then an open farm', async () => {
  const { url } = await serving({ API_KEY: key, GAME_API_URL: game.url })
  const opened = await openPage(browser, `${url}/#key=${key}`)
  const { page } = opened
  await page.getByText('Players can join.').waitFor()
  game.world.isHeld = true
  await page.getByText('Paused', { exact: true }).waitFor()
  await page.getByText('Time stands still until a player resumes it.').waitFor()
  game.world.isHeld = false
  await page.getByText('Players can join.').waitFor()
  const visitor = await openPage(browser, url)
  for (const start of [
    (isOn: boolean) => {
      game.world.isLoaded = !isOn
    },
    (isOn: boolean) => {
      game.state.phase = isOn ? 'starting' : undefined
    },
  ]) {
    start(true)
    await visitor.page.reload()
    for (const words of [starting, isLoading]) await page.getByText(words).first().waitFor()
    await visitor.page.getByText(starting).waitFor()
    start(false)
    await page.getByText('Players can join.').waitFor()
  }
  await expectGood(opened)
})

test('a night that the status of the game does not show is shown', async () => {
  const { url } = await serving({ API_KEY: key, GAME_API_URL: game.url })
  game.world.isTurning = true
  onTestFinished(() => {
    game.world.isTurning = false
  })
  await eventually(async () =>
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ isStale: true }),
  )
  const { page } = await openPage(browser, `${url}/#key=${key}`)
  await page.getByText('Saving the day').waitFor()
})

test('an offline game is shown as offline, not as starting, also to a key that cannot follow the status', async () => {
  const opened = await openView(browser, server, 'farm')
  await opened.page.getByText('No players are online.').waitFor()
  const said = await listen(opened)
  server.farm.goOffline()
  await opened.page.getByText('Game offline since').waitFor()
  expect(await said()).toEqual([empty, expect.stringContaining('Game offline since')])
  const { key: chatKey } = await makeKey(server, 'chat')
  const chatter = await openPage(browser, `${server.url}/#key=${chatKey}`)
  await chatter.page.evaluate(() => location.assign('#/farm'))
  await chatter.page.getByText('Players cannot join until it is back.').waitFor()
  expect(await chatter.page.getByText(starting).count()).toBe(0)
})
