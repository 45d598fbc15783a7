import { randomInt } from 'node:crypto'
import type { Connection, Reply } from './connection.ts'
import { decode, encode } from './protobufs.ts'
import { message, result, type World } from './world.ts'

/** A lobby on the platform. */
export interface Lobby {
  readonly id: string
  readonly appId: number
  readonly owner: Connection
  type: number
  maxMembers: number
  metadata: Record<string, string>
  /** Routing app id of the request that created it. The real platform drops a request without one. */
  readonly routedTo: number
}

/** Adds responders for lobbies. A lobby is removed when its owner's socket closes. @returns the lobbies by id */
export function addLobbies(world: World): ReadonlyMap<string, Lobby> {
  const lobbies = new Map<string, Lobby>()
  world.onClose((connection) => {
    for (const lobby of lobbies.values()) if (lobby.owner === connection) lobbies.delete(lobby.id)
  })

  world.onMessage('ClientMMSCreateLobby', ({ frame, connection }) => {
    const body = decode('CMsgClientMMSCreateLobby', frame.body)
    if (world.knobs.lobbyResult !== 'OK') return reply('Create', { eresult: result(world.knobs.lobbyResult) })
    const lobby: Lobby = {
      // Above 2^53, like real lobby ids.
      id: String(109_775_240_000_000_000n + BigInt(randomInt(1, 2 ** 40))),
      appId: Number(body.app_id),
      owner: connection,
      type: Number(body.lobby_type),
      maxMembers: Number(body.max_members),
      metadata: readMetadata(body.metadata),
      routedTo: Number(frame.header.routing_appid ?? 0),
    }
    lobbies.set(lobby.id, lobby)
    return reply('Create', { app_id: lobby.appId, steam_id_lobby: lobby.id, eresult: 1 })
  })

  world.onMessage('ClientMMSSetLobbyData', ({ frame, connection }) => {
    const body = decode('CMsgClientMMSSetLobbyData', frame.body)
    const lobby = lobbies.get(String(body.steam_id_lobby))
    if (world.knobs.lobbyResult !== 'OK')
      return reply('SetData', { eresult: result(world.knobs.lobbyResult) })
    if (lobby?.owner !== connection) return reply('SetData', { eresult: result('NoMatch') })
    lobby.type = Number(body.lobby_type)
    lobby.maxMembers = Number(body.max_members)
    lobby.metadata = readMetadata(body.metadata)
    return reply('SetData', { app_id: lobby.appId, steam_id_lobby: lobby.id, eresult: 1 })
  })

  world.onMessage('ClientMMSLeaveLobby', ({ frame }) => {
    const body = decode('CMsgClientMMSLeaveLobby', frame.body)
    lobbies.delete(String(body.steam_id_lobby))
    return {
      message: message('ClientMMSLeaveLobbyResponse'),
      body: encode('CMsgClientMMSLeaveLobbyResponse', {
        app_id: body.app_id,
        steam_id_lobby: body.steam_id_lobby,
        eresult: 1,
      }),
    }
  })
  return lobbies
}

function reply(kind: 'Create' | 'SetData', body: object): Reply {
  const name = kind === 'Create' ? 'CreateLobby' : 'SetLobbyData'
  return {
    message: message(`ClientMMS${name}Response`),
    body: encode(`CMsgClientMMS${name}Response`, body),
  }
}

/** Reads a binary KeyValue block: `00 00`, then per pair `01 key 00 value 00`, then `08 08`. */
function readMetadata(value: unknown): Record<string, string> {
  if (!(value instanceof Uint8Array) || value.length === 0) return {}
  const bytes = Buffer.from(value)
  const pairs: Record<string, string> = {}
  let at = 2
  while (bytes[at] === 1) {
    const keyEnd = bytes.indexOf(0, at + 1)
    const valueEnd = bytes.indexOf(0, keyEnd + 1)
    pairs[bytes.toString('utf8', at + 1, keyEnd)] = bytes.toString('utf8', keyEnd + 1, valueEnd)
    at = valueEnd + 1
  }
  if (bytes[at] !== 8 || bytes[at + 1] !== 8) throw new Error('metadata block has no end')
  return pairs
}
