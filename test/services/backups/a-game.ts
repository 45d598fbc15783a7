/** A game as the watcher sees it: a status that tests set. */
import type { GameEvent } from '../../../handlers/game-event.ts'
import { neverSeen, type Status } from '../../../handlers/game-records.ts'
import type { BackupParts } from '../../../services/backups/open-backups.ts'
import { clover } from '../../backups/saved-farm.ts'
import { well } from '../../backups/well-game.ts'

export function aGame() {
  const listeners = new Set<(event: GameEvent) => void>()
  let status: Status = neverSeen
  return {
    game: {
      health: () => well,
      status: async () => status,
      subscribe(listener: (event: GameEvent) => void) {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
      players: async () => ({ players: [], version: 1 }),
      reload: async () => 'World reloaded',
    } satisfies BackupParts['game'],
    /** The game reports another status. */
    become(next: Partial<Status>) {
      status = { ...status, ...next }
      for (const listener of listeners) listener({ type: 'status_changed', status })
    },
    /** The night: no day runs. */
    night() {
      this.become({ dayTransitionComplete: false })
    },
    /** A day begins. */
    day(date: Pick<Status, 'season' | 'day' | 'year'>, playerCount = 1) {
      this.become({
        ...date,
        isOnline: true,
        dayTransitionComplete: true,
        farmName: clover.farmName,
        playerCount,
      })
    },
  }
}
