/** The bodies of the game's reads. */
import { dotnetTime, double } from './dotnet-json.ts'
import type { World } from './world.ts'

/** A real picture: one transparent pixel. */
const picture =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='

const health = (world: World) => {
  const uptime = Date.now() - world.startedAt
  return {
    status: world.isFrozen ? 'degraded' : 'ok',
    timestamp: dotnetTime(world.now()),
    lastTickMs: world.isFrozen ? 6000 : 12,
    pendingActions: world.pendingActions,
    gameAvailable: !world.isFestival,
    tickCount: Math.floor(uptime / 16) + 1,
    isFrozen: world.isFrozen,
    ...(world.generation === 'newest' && {
      galaxyLobby: 'connected',
      steamSession: 'connected',
      steamRelayReady: world.isRelayReady,
      authReadiness: 'ok',
    }),
  }
}

const stats = (world: World) => ({
  fps: double(world.fps),
  tps: double(60),
  targetTps: 60,
  avgTickMs: double(1.73),
  memoryMb: double(412.6),
  gcGen0: 90,
  gcGen1: 12,
  gcGen2: 3,
  pendingActions: 0,
  gameThreadWaitMs: double(8.21),
  startedAtUtc: dotnetTime(world.startedAt),
  uptimeSeconds: Math.floor((Date.now() - world.startedAt) / 1000),
})

const settings = (world: World) => ({
  game: {
    farmName: world.farmName,
    farmType: 0,
    profitMargin: double(1),
    startingCabins: 1,
    spawnMonstersAtNight: 'auto',
  },
  server: {
    maxPlayers: world.maxPlayers,
    cabinStrategy: world.strategy,
    separateWallets: false,
    existingCabinBehavior: 'KeepExisting',
    ...(world.generation === 'newest' && { allowCabinRelocation: world.allowCabinRelocation }),
  },
})

const diagnostics = (world: World, query: URLSearchParams) => ({
  capturedAt: dotnetTime(world.now()),
  otherFarmerUids: world.farmhands.map(({ id }) => id),
  onlineFarmerCount: world.farmhands.filter(({ isOnline }) => isOnline).length,
  netReady: [],
  newDaySync: { hasStarted: world.isTurning, hasFinished: !world.isTurning, isActive: world.isTurning },
  timeOfDay: world.timeOfDay,
  dayOfMonth: world.day,
  season: world.season,
  year: world.year,
  gameMode: 3,
  isGameAvailable: !world.isFestival,
  lastTickMs: 12,
  avgGameThreadWaitMs: double(8),
  cabins: [],
  farmhandData: world.farmhands.map(({ id, name, isCustomized }) => ({
    uniqueMultiplayerId: id,
    name,
    isCustomized,
    homeLocation: 'Cabin',
    lastSleepLocation: 'Cabin',
    hasUserId: isCustomized,
    hasOwner: isCustomized,
    ownerPlatform: isCustomized ? 'steam' : '',
    released: false,
  })),
  disconnectingFarmers: [],
  farmHouseObjectCount: 0,
  farmHouseFurnitureCount: 3,
  farmHouseFridgeItemCount: 0,
  masterCellarObjectCount: 0,
  masterHasFlag: query.get('masterFlag') === null ? null : false,
  masterHasEvent: query.get('masterEvent') === null ? null : false,
  masterCaveChoice: 0,
  masterShadowFriendshipPoints: query.get('masterFriendKey') === null ? null : 0,
  masterDaysPlayed: 5,
  masterHasSpouse: false,
  masterName: 'Host',
  saveImportFinalizeCount: 0,
  failedFields: world.isTurning ? ['gameThreadTimeout'] : [],
})

const authentication = (world: World) => ({
  enabled: world.password.enabled,
  authenticatedCount: 0,
  pendingCount: 0,
  timeoutSeconds: world.password.timeoutSeconds,
  maxAttempts: world.password.maxAttempts,
})

/** Reads by path; each answers its body. */
export const reads: Readonly<Record<string, (world: World, query: URLSearchParams) => unknown>> = {
  '/status': ({ snapshot }) => snapshot.status,
  '/players': ({ snapshot }) => snapshot.players,
  '/farmhands': ({ snapshot }) => snapshot.farmhands,
  '/cabins': ({ snapshot }) => snapshot.cabins,
  '/invite-code': ({ inviteBase }) =>
    inviteBase === undefined ? { error: 'No invite code available' } : { inviteCode: `S${inviteBase}` },
  '/health': health,
  '/stats': stats,
  '/settings': settings,
  '/rendering': ({ fps }) => ({ fps }),
  '/screenshot': () => ({ success: true, base64Png: picture, width: 1, height: 1 }),
  '/auth': authentication,
  '/diagnostics/state': diagnostics,
  '/wait/health': health,
  '/diagnostics/handler-timing': () => ({ handlers: [] }),
}

/** Open without a key at the real server; `/status` only since September 2026. */
export const isPublic = (world: World, path: string): boolean =>
  ['/health', '/wait/health', '/stats', '/diagnostics/state'].includes(path) ||
  (path === '/status' && world.generation !== 'before')
