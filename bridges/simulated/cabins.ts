/** Cabin buildings for each cabin strategy of JunimoServer: stacked off the map, or placed on the farm. */
import type { Cabin, Cabins } from '../../handlers/game-records.ts'
import type { CabinStrategy } from '../settings-file/farm-settings.ts'

/** The farmhand of one cabin. A cabin belongs to its farmhand slot and is deleted with it. */
export interface Resident {
  readonly id: bigint
  readonly name: string
  readonly isCustomized: boolean
}

/** Stacked cabins all stand on this tile, outside of the map. */
const stack = { tileX: -20, tileY: -20 }
const sharedLobby = { tileX: -21, tileY: -21 }

/** Where the Standard map places its first cabins; further ones go in rows south of them. */
const yard: readonly (readonly [number, number])[] = [
  [17, 8],
  [29, 20],
  [52, 26],
  [63, 34],
  [41, 42],
  [26, 48],
  [8, 36],
]
const visible = (index: number) => {
  const [tileX, tileY] = yard[index] ?? [
    6 + ((index - yard.length) % 9) * 7,
    56 + Math.floor((index - yard.length) / 9) * 5,
  ]
  return { tileX, tileY }
}

/**
 * Every cabin building: one per slot, in their order, and the lobby's where joiners wait for the password.
 * @param hasLobby joiners must log in first
 */
export function cabinsOf(strategy: CabinStrategy, residents: readonly Resident[], hasLobby: boolean): Cabins {
  const homes = residents.map(
    ({ id, name, isCustomized }, index): Cabin => ({
      ...(strategy === 'None' ? visible(index) : stack),
      isHidden: strategy !== 'None',
      type: strategy === 'None' ? 'Normal' : strategy,
      ownerId: isCustomized ? id : 0n,
      ownerName: name,
      isAssigned: isCustomized,
    }),
  )
  const lobby: Cabin = {
    ...sharedLobby,
    isHidden: true,
    type: 'SharedLobby',
    ownerId: 0n,
    ownerName: '',
    isAssigned: false,
  }
  const cabins = hasLobby ? [...homes, lobby] : homes
  const assignedCount = residents.filter(({ isCustomized }) => isCustomized).length
  return {
    strategy,
    totalCount: cabins.length,
    assignedCount,
    availableCount: cabins.length - assignedCount,
    cabins,
    savedPositionPlayerIds: [],
  }
}
