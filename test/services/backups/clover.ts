import { neverSeen } from '../../../handlers/game-records.ts'
import type { BackupParts } from '../../../services/backups/open-backups.ts'
import type { SavesParts } from '../../../services/saves/open-saves.ts'
import { well } from '../../backups/well-game.ts'

/** A game with the farm of `savedFarm`, on a day that has begun. */
export const game: BackupParts['game'] & SavesParts['game'] = {
  health: () => well,
  subscribe: () => () => undefined,
  status: async () => ({ ...neverSeen, isOnline: true, dayTransitionComplete: true, farmName: 'Clover' }),
  players: async () => ({ players: [], version: 1 }),
  farmhands: async () => ({ farmhands: [], version: 1 }),
  reload: async () => 'World reloaded',
}
