/** The state of the simulated farm. Only this folder reads and changes it; the API gets records made from it. */
import type { Connection } from '../../handlers/game-records.ts'
import type { FarmSettings } from '../settings-file/farm-settings.ts'
import { type FarmDate, firstDay, isFestival, morning } from './calendar.ts'
import { type Lobbies, openLobbies } from './lobbies.ts'
import type { Owner } from './ownership.ts'
import type { Random } from './random.ts'

/** A farmhand slot with its cabin, claimed by an account or free. */
export interface Slot {
  readonly id: bigint
  name: string
  isCustomized: boolean
  owner: Owner | undefined
}

/** A connected player. */
interface Visitor {
  readonly slot: Slot
  readonly connectionId: string
  readonly connection: Connection
  /** When the player typed the password, milliseconds since 1970; before that, the player cannot chat. */
  readonly loggedInAt: number
  isInBed: boolean
}

/** `ending`: the day is over and the save has not begun; `saving`: the game saves. */
type Phase = 'day' | 'ending' | 'saving'

export interface World {
  settings: FarmSettings
  /** The id of the host's farmer, which is in no list and cannot be found by name or id. */
  readonly hostId: bigint
  readonly slots: Slot[]
  /** Connected players by id, in the order in which they joined. */
  readonly visitors: Map<bigint, Visitor>
  /** Ids of admins; they stay admins when they disconnect. */
  readonly admins: Set<bigint>
  readonly lobbies: Lobbies
  date: FarmDate
  timeOfDay: number
  phase: Phase
  /** A festival on an ordinary day, set by a control. */
  isFestivalForced: boolean
}

export function newWorld(settings: FarmSettings, random: Random): World {
  const world: World = {
    settings,
    hostId: random.playerId(),
    slots: [],
    visitors: new Map(),
    admins: new Set(),
    lobbies: openLobbies(random),
    date: firstDay,
    timeOfDay: morning,
    phase: 'day',
    isFestivalForced: false,
  }
  const { cabinStrategy } = settings.shown.server
  const cabins = cabinStrategy === 'None' ? settings.shown.game.startingCabins : 1
  for (let built = 0; built < cabins; built += 1) addSlot(world, newId(world, random))
  keepReserve(world, random)
  return world
}

function addSlot(world: World, id: bigint): Slot {
  const slot: Slot = { id, name: '', isCustomized: false, owner: undefined }
  world.slots.push(slot)
  return slot
}

function newId(world: World, random: Random): bigint {
  const id = random.playerId()
  return id === world.hostId || world.slots.some((slot) => slot.id === id) ? newId(world, random) : id
}

const isFree = ({ isCustomized, owner }: Slot) => !isCustomized && owner === undefined

export const slotOf = (world: World, id: bigint): Slot | undefined =>
  world.slots.find((slot) => slot.id === id)

/** Adds a free farmhand slot when there is none, as JunimoServer does, so that a new player can always join. */
export function keepReserve(world: World, random: Random): void {
  if (!world.slots.some(isFree)) addSlot(world, newId(world, random))
}

/** The slot with that id, made when there is none; without an id, the first free one. */
export function slotFor(world: World, random: Random, id: bigint | undefined): Slot {
  const found = id === undefined ? world.slots.find(isFree) : slotOf(world, id)
  return found ?? addSlot(world, id ?? newId(world, random))
}

export const isDayRunning = ({ phase }: World): boolean => phase === 'day'

/** Whether the status is ready: not while the day ends and is saved, and not at a festival. */
export const isReady = (world: World): boolean =>
  isDayRunning(world) && !world.isFestivalForced && !isFestival(world.date)

/** As in the game: the clock is paused while no one is connected, but not after 1 AM. */
export const isPaused = (world: World): boolean =>
  world.visitors.size === 0 && isDayRunning(world) && world.timeOfDay <= 2500

export const isOffline = (world: World, { id, isCustomized }: Slot): boolean =>
  isCustomized && !world.visitors.has(id)
