/** The account that owns a farmhand: the Steam or GOG Galaxy account of the first player who connected as it. */
import type { Connection } from '../../handlers/game-records.ts'

/** The identity is decimal. LAN has none: anyone on the LAN can play a farmhand that was claimed over LAN. */
export type Owner = Connection

/** The upper 32 bits of the SteamID of every individual account in Steam's public universe. */
const steamIndividualAccounts = 0x01100001n

/**
 * The owner of a decimal account id from the game server's log. The upper 32 bits of a Steam id, which hold the type
 * of the account, distinguish it from a GOG Galaxy id.
 */
export const ownerByIdentity = (identity: string): Owner => ({
  joinPath: BigInt(identity) >> 32n === steamIndividualAccounts ? 'relay' : 'galaxy',
  identity,
})

/** Whether a connection may play a farmhand that is claimed. */
export const owns = (owner: Owner, connection: Connection): boolean =>
  owner.joinPath === connection.joinPath && owner.identity === connection.identity
