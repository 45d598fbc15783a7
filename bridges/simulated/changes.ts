/** The changes that the API can make to the farm, and the errors when they are rejected. */
import { FarmError } from '../../handlers/farm-error.ts'
import type { Target } from '../../handlers/game-bridge.ts'
import type { NewGame } from '../../handlers/game-records.ts'
import { cabinStrategyNamed, type FarmSettings } from '../settings-file/farm-settings.ts'
import { morning } from './calendar.ts'
import type { Farm } from './farm.ts'
import { ownerByIdentity } from './ownership.ts'
import { farmTypeOf } from './snapshot.ts'
import { isDayRunning, keepReserve, type Slot, slotOf } from './world.ts'

/** @throws {FarmError} not_ready while the day ends and is saved */
export function mustBeDay({ world }: Farm): void {
  if (!isDayRunning(world)) throw new FarmError({ kind: 'not_ready' })
}

/** A farmhand that is offline. @throws {FarmError} save_in_progress, not_ready, farmhand_not_found, farmhand_online */
function offlineFarmhand(farm: Farm, { id, label }: Target, change: 'delete' | 'rebind'): Slot {
  if (farm.world.phase === 'saving') throw new FarmError({ kind: 'save_in_progress' })
  mustBeDay(farm)
  const slot = slotOf(farm.world, id)
  if (slot === undefined) throw new FarmError({ kind: 'farmhand_not_found', label })
  if (farm.world.visitors.has(id)) throw new FarmError({ kind: 'farmhand_online', label, change })
  return slot
}

/** Removes the slot with its cabin and admin role; a free slot is added when there is none. */
export function deleteFarmhand(farm: Farm, target: Target): void {
  const slot = offlineFarmhand(farm, target, 'delete')
  const { slots, admins } = farm.world
  slots.splice(slots.indexOf(slot), 1)
  admins.delete(slot.id)
  keepReserve(farm.world, farm.random)
}

export function rebindFarmhand(farm: Farm, target: Target, identity: string): void {
  offlineFarmhand(farm, target, 'rebind').owner = ownerByIdentity(identity)
  keepReserve(farm.world, farm.random)
}

/** Makes a farmhand with a character an admin, online or not. @returns its name */
export function grantAdmin(farm: Farm, { id, label }: Target): string {
  mustBeDay(farm)
  const slot = slotOf(farm.world, id)
  if (slot === undefined || !slot.isCustomized) throw new FarmError({ kind: 'player_not_found', label })
  farm.world.admins.add(id)
  return slot.name
}

function mustBeEmpty(farm: Farm): void {
  mustBeDay(farm)
  const count = farm.world.visitors.size
  if (count > 0) throw new FarmError({ kind: 'players_connected', count })
}

/** @throws {FarmError} players_connected, not_ready */
export function newGame(farm: Farm, options: NewGame): string {
  mustBeEmpty(farm)
  const next = withOptions(farm.readSettings(), options)
  farm.startOver(next)
  return `New game created with farm type ${farmTypeOf(next.shown.game.farmType)}`
}

/**
 * Returns to the morning, when the game was last saved, with the settings that are not only for new worlds.
 * @throws {FarmError} players_connected, not_ready
 */
export function reload(farm: Farm): string {
  mustBeEmpty(farm)
  loadAgain(farm)
  return 'World reloaded'
}

/** As at a start of the game's process. */
export function loadAgain(farm: Farm): void {
  farm.load()
  const { game, server } = farm.world.settings.shown
  const next = farm.readSettings()
  const { separateWallets } = server
  farm.world.settings = { ...next, shown: { game, server: { ...next.shown.server, separateWallets } } }
  farm.world.timeOfDay = morning
}

function withOptions(settings: FarmSettings, options: NewGame): FarmSettings {
  const { game, server } = settings.shown
  return {
    ...settings,
    shown: {
      game: {
        ...game,
        farmName: options.farmName ?? game.farmName,
        farmType: options.farmType ?? game.farmType,
        profitMargin: options.profitMargin ?? game.profitMargin,
        startingCabins: options.startingCabins ?? game.startingCabins,
      },
      server: {
        ...server,
        maxPlayers: options.maxPlayers ?? server.maxPlayers,
        cabinStrategy:
          options.cabinStrategy === undefined
            ? server.cabinStrategy
            : cabinStrategyNamed(options.cabinStrategy),
        separateWallets: options.separateWallets ?? server.separateWallets,
      },
    },
  }
}
