import { FarmError } from '../../handlers/farm-error.ts'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import type { Stats } from '../../handlers/game-records.ts'
import type { Sample } from '../records/samples-table.ts'

const minute = 60_000

/**
 * Measures the game. The answer time is that of `players`, which every game has.
 * @param now milliseconds since 1970 @param monotonic milliseconds, never running backwards
 * @throws {FarmError} when the game does not answer
 */
export async function takeSample(
  game: Pick<GameBridge, 'players' | 'stats'>,
  now: () => number,
  monotonic: () => number,
): Promise<Sample> {
  const began = monotonic()
  const { players } = await game.players()
  const answerMs = monotonic() - began
  const stats = await statsOf(game)
  return {
    at: Math.floor(now() / minute) * minute,
    players: players.filter(({ isOnline }) => isOnline).length,
    answerMs,
    ...(stats && { ticksPerSecond: stats.tps, tickMs: stats.avgTickMs, memoryMb: stats.memoryMb }),
  }
}

/** @returns undefined when the game has no `/stats` */
async function statsOf(game: Pick<GameBridge, 'stats'>): Promise<Stats | undefined> {
  try {
    return await game.stats()
  } catch (error) {
    if (error instanceof FarmError && error.failure.kind === 'unsupported') return undefined
    throw error
  }
}
