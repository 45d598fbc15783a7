import { withTimeLimit } from '../../lib/time-limit.ts'
import { PlatformError } from '../errors.ts'
import type { AppTicket, LobbySettings } from '../platform-port.ts'
import { loadPlatformLibrary, type PlatformClient } from '../steam-user.ts'
import { logonError } from './logon-error.ts'

/** Lobby type `public`: everyone with the id can join. With the game's default, friends only, no player could. */
const publicLobby = 2

/** Milliseconds. steam-user has no time limit for messages sent with `_send`. */
const replyTimeout = 10_000

/** Requests an encrypted app ticket. @throws PlatformError */
export async function requestTicket(client: PlatformClient, appId: number): Promise<AppTicket> {
  const steamId = accountOf(client)
  try {
    const { encryptedAppTicket } = await client.createEncryptedAppTicket(appId)
    return { bytes: encryptedAppTicket, steamId }
  } catch (error) {
    throw platformError(error)
  }
}

/** Makes a public lobby. @returns its id. @throws PlatformError */
export async function createLobby(
  client: PlatformClient,
  appId: number,
  settings: LobbySettings,
): Promise<bigint> {
  const reply = await exchange(client, appId, 'CreateLobby', {
    app_id: appId,
    max_members: settings.maxMembers,
    lobby_type: publicLobby,
    lobby_flags: 0,
    cell_id: client.cellID,
    metadata: encodeMetadata(settings.metadata),
  })
  return BigInt(String(reply.steam_id_lobby))
}

/** Replaces the settings of a lobby. @throws PlatformError, `NoMatch` for a lobby that no longer exists. */
export async function setLobby(
  client: PlatformClient,
  appId: number,
  id: bigint,
  settings: LobbySettings,
): Promise<void> {
  await exchange(client, appId, 'SetLobbyData', {
    app_id: appId,
    steam_id_lobby: String(id),
    steam_id_member: '0',
    max_members: settings.maxMembers,
    lobby_type: publicLobby,
    lobby_flags: 0,
    metadata: encodeMetadata(settings.metadata),
  })
}

/** Leaves a lobby. Steam removes it then, because this account is its only member. @throws PlatformError */
export async function leaveLobby(client: PlatformClient, appId: number, id: bigint): Promise<void> {
  await exchange(client, appId, 'LeaveLobby', { app_id: appId, steam_id_lobby: String(id) })
}

/** Sends one lobby message and waits for its answer. */
function exchange(
  client: PlatformClient,
  appId: number,
  name: string,
  body: object,
): Promise<Record<string, unknown>> {
  accountOf(client)
  const { messages, messageNumbers } = loadPlatformLibrary()
  const request = messages[`CMsgClientMMS${name}`]
  const response = messages[`CMsgClientMMS${name}Response`]
  const number = messageNumbers[`ClientMMS${name}`]
  if (!request || !response || number === undefined) throw new Error(`the Steam library has no ${name}`)
  const answer = new Promise<Record<string, unknown>>((resolve, reject) => {
    client._send({ msg: number, proto: { routing_appid: appId } }, request.encode(body).finish(), (bytes) => {
      const reply = response.toObject(response.decode(bytes.toBuffer()), { longs: String })
      // The protobuf default of an absent `eresult` is 2, `Fail`.
      const result = Number(reply.eresult ?? 2)
      if (result === 1) resolve(reply)
      else reject(platformError({ eresult: result }))
    })
  })
  return withTimeLimit(replyTimeout, answer, () => new PlatformError('timeout'))
}

/** @throws PlatformError `not_logged_in`: steam-user silently drops messages that are sent while not logged on */
function accountOf(client: PlatformClient): string {
  if (!client.steamID) throw new PlatformError('not_logged_in')
  return client.steamID.getSteamID64()
}

function platformError(error: unknown): PlatformError {
  const { kind, result } = logonError(error, loadPlatformLibrary().resultName)
  if (kind === 'rate_limited') return new PlatformError('rate_limited', result)
  return result === undefined ? new PlatformError('timeout') : new PlatformError('refused', result)
}

/**
 * Encodes lobby metadata as binary KeyValues. `00 00`, then per pair `01 key 00 value 00`, then `08 08`.
 * NUL characters in keys and values are removed, because NUL ends a text.
 */
export function encodeMetadata(metadata: Readonly<Record<string, string>>): Buffer {
  const text = (value: string) => Buffer.from(`${value.replaceAll('\0', '')}\0`)
  const pairs = Object.entries(metadata).flatMap(([key, value]) => [Buffer.of(1), text(key), text(value)])
  return Buffer.concat([Buffer.of(0, 0), ...pairs, Buffer.of(8, 8)])
}
