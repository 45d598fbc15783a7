/** The facts about the game and its process, for an operation. */
import type { GameBridge } from '../../handlers/game-bridge.ts'
import type { GameHost, GameProcess } from '../../handlers/game-host.ts'
import { presentMoment } from '../../handlers/game-moment.ts'
import type { Clock } from '../../lib/clock.ts'
import { withTimeLimit } from '../../lib/time-limit.ts'
import { late } from './host-unavailable.ts'
import type { Facts } from './operation.ts'

/** Milliseconds after which a host without an answer is unreachable. */
export const inspectLimit = 5_000

export interface FactsParts extends Pick<Clock, 'monotonic'> {
  readonly driver: Pick<GameHost, 'inspect'>
  readonly game: Pick<GameBridge, 'health' | 'status'>
}

/** What is true of the game whatever an operation does. */
export type GameFacts = Omit<Facts, 'beforeStart' | 'isRightFarm'>
export type KnownFacts = ReturnType<typeof knownFacts>

export function knownFacts({ driver, game, monotonic }: FactsParts) {
  let isSaving = false
  let players: number | undefined
  let today = ''
  let answeredAt = ''
  let answeredBefore: string | undefined
  const lookAtGame = async (freshness?: 'now') => {
    const { status, moment } = await presentMoment(game, freshness)
    const { isOnline, playerCount, lastUpdated, ...date } = status
    players = isOnline ? playerCount : undefined
    // Without a new answer, the last facts may still be true.
    if (!isOnline || lastUpdated === answeredAt) return
    answeredAt = lastUpdated
    // A main loop that stands still may do so in the middle of a save.
    isSaving = moment === 'night' || moment === 'frozen'
    today = `${date.year} ${date.season} ${date.day}`
  }
  let looking: Promise<GameProcess> | undefined
  /** All callers share one look under way: a host that hangs is not asked again and again. */
  const inspect = () => {
    looking ??= driver.inspect().finally(() => {
      looking = undefined
    })
    return withTimeLimit(inspectLimit, looking, () => late())
  }
  return {
    /** @throws {FarmError} host_unavailable */
    inspect,
    /** Checks only the game, so that a night is known when the game no longer answers. */
    lookAtGame,
    /** Never rejects. */
    async read(): Promise<GameFacts> {
      const [process] = await Promise.all([
        inspect().then(
          ({ state }) => state,
          () => 'unknown' as const,
        ),
        // A night may have begun since the last answer.
        lookAtGame('now'),
      ])
      const { gameAvailable, isFrozen } = game.health()
      const isHealthy = gameAvailable && !isFrozen && answeredAt !== answeredBefore
      return { at: monotonic(), players, isSaving, today, process, isHealthy }
    },
    /** The process is about to be started: earlier answers of the game do not show that it is healthy. */
    async forget() {
      await lookAtGame('now')
      answeredBefore = answeredAt
      isSaving = false
    },
  }
}
