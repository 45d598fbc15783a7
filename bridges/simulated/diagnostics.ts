/** The record of JunimoServer's `/diagnostics/state`, filled from the simulated world. */
import type { GameHealth } from '../../handlers/game-bridge.ts'
import { daysPlayed } from './calendar.ts'
import type { Snapshot } from './snapshot.ts'
import { isReady, type Slot, type World } from './world.ts'

export interface Asked {
  /** `masterFlag`, `masterEvent`, `masterFriendKey`, in any case. */
  readonly query: readonly (readonly [name: string, value: string])[]
  /** ISO 8601 UTC with milliseconds. */
  readonly capturedAt: string
  readonly health: GameHealth
}

export function diagnosticsOf(
  world: World,
  { cabins }: Snapshot,
  asked: Asked,
): Readonly<Record<string, unknown>> {
  const named = new Set(asked.query.map(([name]) => name.toLowerCase()))
  const turning = world.phase !== 'day'
  return {
    capturedAt: asked.capturedAt,
    otherFarmerUids: [...world.visitors.keys()],
    onlineFarmerCount: world.visitors.size,
    netReady: [...(turning ? [readiness(world)] : [])],
    newDaySync: { hasStarted: turning, hasFinished: !turning, isActive: turning },
    ...(world.phase === 'saving' && { activeClickableMenu: 'SaveGameMenu' }),
    timeOfDay: world.timeOfDay,
    dayOfMonth: world.date.day,
    season: world.date.season,
    year: world.date.year,
    gameMode: 3,
    isGameAvailable: isReady(world),
    ...(asked.health.lastTickMs !== undefined && { lastTickMs: asked.health.lastTickMs }),
    avgGameThreadWaitMs: 8.21,
    cabins: world.slots.map((slot, index) => ({
      tileX: cabins.cabins[index]?.tileX ?? 0,
      tileY: cabins.cabins[index]?.tileY ?? 0,
      indoorsName: cabinName(index),
      ownerId: slot.isCustomized ? slot.id : 0n,
      ownerName: slot.name,
      ownerIsCustomized: slot.isCustomized,
      ...ownership(slot, 'ownerHasUserId', 'ownerHasOwner'),
      homeLocationOfOwner: cabinName(index),
      farmhandReferenceDefined: true,
      farmhandReferenceUid: slot.id,
      objectCount: 0,
      fridgeItemCount: 0,
      petCount: 0,
      cellarObjectCount: 0,
    })),
    farmhandData: world.slots.map((slot, index) => ({
      uniqueMultiplayerId: slot.id,
      name: slot.name,
      isCustomized: slot.isCustomized,
      homeLocation: cabinName(index),
      lastSleepLocation: cabinName(index),
      ...ownership(slot, 'hasUserId', 'hasOwner'),
      released: false,
    })),
    disconnectingFarmers: [],
    farmHouseObjectCount: 0,
    farmHouseFurnitureCount: 5,
    farmHouseFridgeItemCount: 0,
    masterCellarObjectCount: 0,
    ...(named.has('masterflag') && { masterHasFlag: false }),
    ...(named.has('masterevent') && { masterHasEvent: false }),
    masterCaveChoice: 2,
    ...(named.has('masterfriendkey') && { masterShadowFriendshipPoints: 0 }),
    masterDaysPlayed: daysPlayed(world.date),
    masterHasSpouse: false,
    masterName: 'Server',
    saveImportFinalizeCount: 0,
    failedFields: [],
  }
}

const cabinName = (index: number) => `Cabin${index + 1}`

const readiness = ({ visitors }: World) => ({
  id: 'sleep',
  numberReady: visitors.size,
  numberRequired: visitors.size,
  isReady: true,
  isLocked: true,
})

/** These members are in JunimoServer's record twice, with different names for cabins and for farmhands. */
const ownership = ({ owner }: Slot, userId: string, isOwned: string) => ({
  [userId]: owner?.identity !== undefined,
  [isOwned]: owner !== undefined,
  ownerPlatform: owner?.joinPath === 'relay' ? 'steam' : owner?.joinPath === 'galaxy' ? 'galaxy' : '',
})
