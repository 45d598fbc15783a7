/**
 * Everything that can be asked of the backups, one line for each call of the port (`backups.ts`). The link encodes
 * calls by this table, as it does those of a game (`game-abilities.ts`).
 */
import * as v from 'valibot'
import type { AbilitiesOf } from './ability.ts'
import { backupList, backupPiece, madeBackup, maxPiece, restoredBackup } from './backup-record.ts'
import type { Backups } from './backups.ts'

export type BackupAbilityName = keyof Backups

const id = v.pipe(v.string(), v.maxLength(128))
const position = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const none = v.tuple([])
const read = { effect: 'read', budget: 10_000 } as const
/** A save of 50 MB on a slow disk takes most of this. */
const slow = { effect: 'write', budget: 130_000 } as const

export const backupAbilities: AbilitiesOf<Backups, BackupAbilityName> = {
  backups: { ...read, args: none, result: backupList },
  makeBackup: { ...slow, args: none, result: madeBackup },
  restoreBackup: {
    effect: 'write',
    budget: 400_000,
    args: v.tuple([id, v.boolean()]),
    result: v.undefinedable(restoredBackup),
  },
  removeBackup: { effect: 'write', budget: 10_000, args: v.tuple([id]), result: v.boolean() },
  readBackup: {
    ...read,
    args: v.tuple([id, position, v.pipe(position, v.maxValue(maxPiece))]),
    result: v.undefinedable(backupPiece),
  },
}

export const isBackupAbility = (name: string): name is BackupAbilityName =>
  Object.hasOwn(backupAbilities, name)
