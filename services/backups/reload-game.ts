/** Makes the game load the save in its folder. */
import { FarmError } from '../../handlers/farm-error.ts'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import type { Status } from '../../handlers/game-records.ts'
import { requireNoPlayers } from '../../handlers/no-players.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { isSameDay } from '../saves/saves-folder.ts'
import { forgetReload, type OwedReload } from './swap-save.ts'

export interface ReloadParts {
  readonly game: Pick<GameBridge, 'status' | 'health' | 'players' | 'reload'>
  readonly clock: Pick<Clock, 'now' | 'after'>
}

/** The outcome of a reload: what the game then plays; a refusal, because a player joined; or unknown. */
export type Reloaded = Status | 'refused' | 'unknown'

/** Milliseconds in which a reloaded game must report a status. */
const statusWait = 3000
const pause = 100

/** Reloads the game, and waits for its status. */
export async function reload({ game, clock }: ReloadParts): Promise<Reloaded> {
  try {
    await game.reload()
    const loadedAt = clock.now()
    for (let waited = 0; waited < statusWait; waited += pause) {
      const status = await game.status()
      // While the game does not answer, this is the last status from before the reload.
      if (status.isOnline && Date.parse(status.lastUpdated) >= loadedAt) return status
      await new Promise<void>((resolve) => void clock.after(pause, resolve))
    }
    return 'unknown'
  } catch (error) {
    return error instanceof FarmError && error.failure.kind === 'players_connected' ? 'refused' : 'unknown'
  }
}

interface UndoneParts extends ReloadParts {
  readonly log: Pick<Log, 'info' | 'error'>
  /** Called with what to do, when the game may still play a save that is no longer on the disk. */
  readonly onAlarm: (what: string) => void
}

/**
 * After a restore was undone on the disk: the game may have loaded the restored save, and would write it over the
 * other. A failed reload stays noted for the next start.
 * @param savesDir `SAVES_DIR`
 */
export async function reloadAfterUndo(parts: UndoneParts, savesDir: string, owed: OwedReload): Promise<void> {
  const { game, log, onAlarm } = parts
  if (mayPlayRestored(await game.status(), owed)) {
    const reloaded = await requireNoPlayers(game).then(
      () => reload(parts),
      () => 'refused' as const,
    )
    if (typeof reloaded !== 'object') {
      log.error({}, 'a restore was undone, and the game may still play the restored save: restart the game')
      onAlarm('a restore was undone: restart the game')
      return
    }
    log.info({}, 'the game has loaded the save from before the restore that was undone')
  }
  await forgetReload(savesDir)
}

/** Whether a game may still play the removed save: not after a restart, or on another day. */
function mayPlayRestored({ startedAtUtc, season, day, year }: Status, owed: OwedReload): boolean {
  if (startedAtUtc !== undefined && Date.parse(startedAtUtc) > owed.undoneAt) return false
  return owed.day === undefined || isSameDay(owed.day, { season, day, year })
}

/** Resolves when the game is online, or with the signal. */
export function untilOnline(
  game: Pick<GameBridge, 'status' | 'subscribe'>,
  signal: AbortSignal,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const unsubscribe = game.subscribe((event) => {
    if (event.type === 'status_changed' && event.status.isOnline) resolve()
  })
  signal.addEventListener('abort', () => resolve(), { once: true })
  void game.status().then(
    ({ isOnline }) => isOnline && resolve(),
    () => undefined,
  )
  return promise.finally(unsubscribe)
}
