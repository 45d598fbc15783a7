/** Joining and leaving: which account may play which farmhand, and the log line of each join. */
import type { Connection } from '../../handlers/game-records.ts'
import { connectionOf } from '../../handlers/join-path.ts'
import { owns } from './ownership.ts'
import type { Random } from './random.ts'
import { keepReserve, type Slot, slotFor, slotOf, type World } from './world.ts'

type JoinRejection = 'owned_by_another_identity' | 'farm_full' | 'ip_connections_off' | 'already_online'

/** The log line of one join, accepted or rejected. Operators copy the identity for `/farmhands/rebind` from it. */
export interface JoinLine extends Connection {
  readonly player: string
  /** Decimal, for a log that cannot hold an int64. */
  readonly id: string
  readonly connectionId: string
  readonly refused?: JoinRejection
}

export interface JoinRequest {
  readonly name: string
  /** `SN_…`, `GN_…` or `L_…`. */
  readonly connectionId: string
  /** The farmhand to play, created when there is none of that id; a free one when missing. */
  readonly id?: bigint
  /** Milliseconds since 1970. */
  readonly loggedInAt: number
}

/** The id of the farmhand; 0 for a rejected player who asked for none. */
export type JoinResult = { readonly id: bigint; readonly refused?: JoinRejection }

/** Accepts or rejects a join by the rules of JunimoServer, and logs it. */
export function enter(
  world: World,
  random: Random,
  request: JoinRequest,
  log: (line: JoinLine) => void,
): JoinResult {
  const { name, connectionId } = request
  const connection = connectionOf(connectionId)
  const asked = request.id === undefined ? undefined : slotOf(world, request.id)
  const refused = rejection(world, asked, connectionId)
  // A rejected join creates no farmhand.
  const slot = refused === undefined ? slotFor(world, random, request.id) : asked
  const id = slot?.id ?? request.id ?? 0n
  log({
    player: slot?.isCustomized ? slot.name : name,
    id: String(id),
    connectionId,
    ...connection,
    ...(refused !== undefined && { refused }),
  })
  if (slot === undefined || refused !== undefined) return { id, ...(refused !== undefined && { refused }) }
  if (!slot.isCustomized) slot.name = name
  slot.isCustomized = true
  slot.owner ??= connection
  const { identity } = connection
  if (identity !== undefined && world.settings.adminIds.includes(identity)) world.admins.add(id)
  world.visitors.set(id, { slot, connectionId, connection, loggedInAt: request.loggedInAt, isInBed: false })
  keepReserve(world, random)
  return { id }
}

function rejection(world: World, slot: Slot | undefined, connectionId: string): JoinRejection | undefined {
  const connection = connectionOf(connectionId)
  if (slot !== undefined && world.visitors.has(slot.id)) return 'already_online'
  if (connection.joinPath === 'lan' && !world.settings.allowIpConnections) return 'ip_connections_off'
  if (world.settings.enforceFarmhandOwnership && slot?.owner !== undefined && !owns(slot.owner, connection))
    return 'owned_by_another_identity'
  return world.visitors.size >= world.settings.shown.server.maxPlayers ? 'farm_full' : undefined
}

export const leave = (world: World, id: bigint): boolean => world.visitors.delete(id)
