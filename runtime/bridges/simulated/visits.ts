/** Coming and going: who may play which farmhand, and the line in the log that says who came. */
import type { Connection } from '../../../handlers/game-records.ts'
import { connectionOf } from '../../../handlers/join-path.ts'
import { owns } from './ownership.ts'
import type { Random } from './random.ts'
import { keepReserve, type Slot, slotFor, slotOf, type World } from './world.ts'

type Refusal = 'owned_by_another_identity' | 'farm_full' | 'ip_connections_off' | 'already_online'

/** One join, let in or refused: what an operator copies the identity of a rebind from. */
export interface JoinLine extends Connection {
  readonly player: string
  /** Decimal, for a log that cannot hold an int64. */
  readonly id: string
  readonly connectionId: string
  readonly refused?: Refusal
}

export interface Knock {
  readonly name: string
  /** `SN_…`, `GN_…` or `L_…`. */
  readonly connectionId: string
  /** The farmhand to play; a free one when left out. */
  readonly id?: bigint
  /** Milliseconds since 1970. */
  readonly loggedInAt: number
}

/** The farmhand asked for or given; 0 for somebody refused who asked for none. */
export type Entry = { readonly id: bigint; readonly refused?: Refusal }

/** Lets somebody in or refuses them, as the game would; logs either. */
export function enter(world: World, random: Random, knock: Knock, log: (line: JoinLine) => void): Entry {
  const { name, connectionId } = knock
  const connection = connectionOf(connectionId)
  const asked = knock.id === undefined ? undefined : slotOf(world, knock.id)
  const refused = refusal(world, asked, connectionId)
  // Who is refused gets no farmhand made.
  const slot = refused === undefined ? slotFor(world, random, knock.id) : asked
  const id = slot?.id ?? knock.id ?? 0n
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
  world.visitors.set(id, { slot, connectionId, connection, loggedInAt: knock.loggedInAt, isInBed: false })
  keepReserve(world, random)
  return { id }
}

function refusal(world: World, slot: Slot | undefined, connectionId: string): Refusal | undefined {
  const connection = connectionOf(connectionId)
  if (slot !== undefined && world.visitors.has(slot.id)) return 'already_online'
  if (connection.joinPath === 'lan' && !world.settings.allowIpConnections) return 'ip_connections_off'
  if (world.settings.enforceFarmhandOwnership && slot?.owner !== undefined && !owns(slot.owner, connection))
    return 'owned_by_another_identity'
  return world.visitors.size >= world.settings.shown.server.maxPlayers ? 'farm_full' : undefined
}

export const leave = (world: World, id: bigint): boolean => world.visitors.delete(id)
