/** Which account owns a farmhand: the identity of the join path through which it was claimed. */
import type { Connection } from '../../../handlers/game-records.ts'

/** The identity is decimal. LAN has none: farmhands claimed over LAN may be played by anybody on the LAN. */
export type Owner = Connection

/** Individual accounts of the public universe: the upper half of every such 64-bit platform id. */
const platformAccounts = 0x01100001n

/**
 * The owner that an identity from the connect log means. The two id spaces share no number:
 * the platform's carry their account type in the upper half.
 */
export const ownerByIdentity = (identity: string): Owner => ({
  joinPath: BigInt(identity) >> 32n === platformAccounts ? 'relay' : 'galaxy',
  identity,
})

/** Whether a connection may play a farmhand that is claimed. */
export const owns = (owner: Owner, connection: Connection): boolean =>
  owner.joinPath === connection.joinPath && owner.identity === connection.identity
