/** The records of the farm at one moment, made together so that they agree with each other. */
import { cabinEvents } from '../../handlers/game-event.ts'
import type { Cabins, Farmhand, Farmhands, Player, Players, Status } from '../../handlers/game-records.ts'
import { stringifyJson } from '../../lib/json.ts'
import { cabinsOf } from './cabins.ts'
import { isDayRunning, isPaused, isReady, type World } from './world.ts'

export interface Snapshot {
  readonly status: Status
  readonly players: Players
  readonly farmhands: Farmhands
  readonly cabins: Cabins
  /** Milliseconds since 1970. */
  readonly takenAt: number
}

export interface Surroundings {
  /** Milliseconds since 1970. */
  readonly now: number
  readonly serverVersion: string
  /** Players who join wait in a lobby cabin until they have typed the password. */
  readonly hasPassword: boolean
}

export const gameVersion = '1.6.15'

const farmTypes = [
  'Standard',
  'Riverland',
  'Forest',
  'Hilltop',
  'Wilderness',
  'FourCorners',
  'Beach',
  'MeadowlandsFarm',
]

/**
 * The number of a farm type, from a number or a name in any case. The id of a mod's farm type is returned unchanged,
 * and an unknown number means the Standard farm (0).
 */
export function farmTypeOf(named: number | string): number | string {
  if (typeof named === 'number' || /^[0-9]+$/.test(named))
    return Number(named) in farmTypes ? Number(named) : 0
  const plain = named.replaceAll(' ', '').toLowerCase()
  const index = farmTypes.findIndex((known) => known.toLowerCase() === plain)
  return index < 0 ? named : index
}

function farmTypeKey(named: number | string): string {
  const farmType = farmTypeOf(named)
  return typeof farmType === 'number' ? (farmTypes[farmType] ?? 'Standard') : farmType
}

/** Takes a snapshot of the world; returns `before` when nothing has changed, because JSON texts are cached by identity. */
export function snapshotOf(world: World, around: Surroundings, before: Snapshot | undefined): Snapshot {
  const { maxPlayers, cabinStrategy } = world.settings.shown.server
  const { farmName, farmType } = world.settings.shown.game
  const version = (before?.status.version ?? 0) + 1
  const status: Status = {
    playerCount: world.visitors.size,
    maxPlayers,
    // As `GET /invite-code` shows it.
    inviteCode: world.lobbies.galaxy.inviteCode,
    steamInviteCode: world.lobbies.platform.inviteCode,
    gogInviteCode: world.lobbies.galaxy.inviteCode,
    serverVersion: around.serverVersion,
    gameVersion,
    isOnline: true,
    isReady: isReady(world),
    dayTransitionComplete: isDayRunning(world),
    lastUpdated: new Date(around.now).toISOString(),
    farmName,
    day: world.date.day,
    season: world.date.season,
    year: world.date.year,
    timeOfDay: world.timeOfDay,
    farmTypeKey: farmTypeKey(farmType),
    isPaused: isPaused(world),
    version,
  }
  const players: Players = { players: [...world.visitors.values()].map(playerOf), version }
  const farmhands: Farmhands = { farmhands: world.slots.map(farmhandOf), version }
  const cabins = cabinsOf(cabinStrategy, world.slots, around.hasPassword)
  const next: Snapshot = { status, players, farmhands, cabins, takenAt: around.now }
  if (before === undefined) return next
  if (content(before) === content(next)) return before
  return cabinEvents(before.cabins, cabins).length === 0 ? { ...next, cabins: before.cabins } : next
}

const playerOf = ({
  slot,
  connection,
}: {
  slot: { id: bigint; name: string }
  connection: Player['connection']
}): Player => ({
  id: slot.id,
  name: slot.name,
  isOnline: true,
  ...(connection !== undefined && { connection }),
})

const farmhandOf = ({ id, name, isCustomized, owner }: World['slots'][number]): Farmhand => ({
  id,
  name,
  isCustomized,
  ...(owner !== undefined && { claimedVia: owner.joinPath }),
})

/** The text of a snapshot without its time and version, for comparison. */
const content = ({ status, players, farmhands, cabins }: Snapshot): string =>
  stringifyJson([
    { ...status, lastUpdated: undefined, version: undefined },
    players.players,
    farmhands.farmhands,
    cabins,
  ])
