/** The upstream bridge with a stand-in game server for one test; both are closed when the test ends. */
import { expect, onTestFinished } from 'vitest'
import { eventually } from '../wait.ts'
import { type UpstreamGameOptions, upstreamGame } from './upstream-game.ts'

export async function ownGame(options: UpstreamGameOptions = {}) {
  const game = await upstreamGame(options)
  onTestFinished(() => game.close())
  /** The lines of the log whose messages begin with this. */
  const lines = (begin: string) => game.logged.filter(({ message }) => message.startsWith(begin))
  return { ...game, lines }
}

/** As `ownGame`, once the bridge has reached the game. */
export async function reachedGame(options: UpstreamGameOptions = {}) {
  const game = await ownGame(options)
  await eventually(() => expect(game.bridge.health().gameAvailable).toBe(true))
  return game
}

/** With these limits the bridge does not poll, so every request to the game comes from the test. */
export const still = { pollEvery: 3_600_000, offlineAfter: 3_600_000, brokenAfter: 3_600_000 }
