import { neverSeen } from '../../../handlers/game-records.ts'
import type { BackupParts } from '../../../services/backups/open-backups.ts'

/** A game with the farm of `savedFarm`, on a day that has begun. */
export const game: BackupParts['game'] = {
  subscribe: () => () => undefined,
  status: async () => ({ ...neverSeen, isOnline: true, dayTransitionComplete: true, farmName: 'Clover' }),
  players: async () => ({ players: [], version: 1 }),
  reload: async () => 'World reloaded',
}
