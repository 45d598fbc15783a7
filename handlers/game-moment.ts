/**
 * The one judgement of whether it is safe to touch the game's save (docs/backups.md, "When one is made"). Pure. Outside of the
 * bridges nothing else reads `dayTransitionComplete` and `isStale`.
 */
import type { GameBridge, GameHealth } from './game-bridge.ts'
import type { Status } from './game-records.ts'

/**
 * `offline`: the game does not answer. `starting`: it answers, but does not serve yet, or refuses the key. `no_farm`: it
 * has no farm loaded. `night`: it saves, or its answers are stale while its main loop runs. `frozen`: its main loop
 * stands still.
 */
export type GameMoment = 'offline' | 'starting' | 'no_farm' | 'day' | 'night' | 'frozen'

export function gameMoment(
  { isOnline, dayTransitionComplete }: Pick<Status, 'isOnline' | 'dayTransitionComplete'>,
  {
    awaySince,
    gameAvailable,
    isFrozen,
    isStale,
  }: Pick<GameHealth, 'awaySince' | 'gameAvailable' | 'isFrozen' | 'isStale'>,
): GameMoment {
  if (awaySince !== undefined) return 'offline'
  if (!gameAvailable) return 'starting'
  if (!isOnline) return isFrozen ? 'frozen' : 'no_farm'
  // The main loop may stand still while the game saves.
  if (!dayTransitionComplete) return 'night'
  if (isFrozen) return 'frozen'
  return isStale === true ? 'night' : 'day'
}

/** The moment of a game that answers, by what the API shows: its status and, where it is known, its health. */
export const shownMoment = (
  status: Parameters<typeof gameMoment>[0],
  { isFrozen = false, isStale }: { isFrozen?: boolean | undefined; isStale?: true | undefined } = {},
): GameMoment => gameMoment(status, { gameAvailable: true, isFrozen, ...(isStale && { isStale }) })

/** The status of the game, with its moment. Never rejects. @param freshness as `GameBridge.status` */
export async function presentMoment(
  game: Pick<GameBridge, 'status' | 'health'>,
  freshness?: 'now',
): Promise<{ readonly status: Status; readonly moment: GameMoment }> {
  const status = await game.status(freshness)
  return { status, moment: gameMoment(status, game.health()) }
}
