/** What the edge can ask of the farm: every ability of its game and every call of its records and its backups. */
import type { AbilitiesOf, ArgsOf as ArgsOfPort, ResultOf as ResultOfPort } from '../../handlers/ability.ts'
import { type BackupAbilityName, backupAbilities } from '../../handlers/backup-abilities.ts'
import type { Backups } from '../../handlers/backups.ts'
import { type AbilityName, abilities } from '../../handlers/game-abilities.ts'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import { type RecordAbilityName, recordAbilities } from '../../handlers/record-abilities.ts'
import type { Records } from '../../handlers/records.ts'

export type Farm = Pick<GameBridge, AbilityName> &
  Pick<Records, RecordAbilityName> &
  Pick<Backups, BackupAbilityName>

export type CallName = keyof Farm
export type ArgsOf<Name extends CallName> = ArgsOfPort<Farm, Name>
export type ResultOf<Name extends CallName> = ResultOfPort<Farm, Name>

export const linkCalls: AbilitiesOf<Farm, CallName> = {
  ...abilities,
  ...recordAbilities,
  ...backupAbilities,
}

export const isCallName = (name: string): name is CallName => Object.hasOwn(linkCalls, name)
