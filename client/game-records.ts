/**
 * The control API's reports about a game, as plain types. Ids are bigints. Timestamps are ISO 8601 in UTC with
 * milliseconds. A test compares these types with the schemas that the server validates with.
 */

/** How a player connects: through Steam's relay, GOG Galaxy or LAN. */
export type JoinPath = 'relay' | 'galaxy' | 'lan' | 'unknown'

export interface Connection {
  joinPath: JoinPath
  /** The account's id there, decimal; LAN has none. */
  identity?: string | undefined
}

export interface Player {
  id: bigint
  name: string
  isOnline: boolean
  connection?: Connection | undefined
}

/** Who is connected, without the host. */
export interface Players {
  players: Player[]
  /** Grows with every new snapshot of the game; `since` of the waiting calls compares it. */
  version: number
}

export interface Farmhand {
  id: bigint
  /** Empty while no one has claimed it. */
  name: string
  isCustomized: boolean
  /** How its first player connected. */
  claimedVia?: JoinPath | undefined
}

export interface Farmhands {
  farmhands: Farmhand[]
  version: number
}

/** Empty before the first answer of the game. */
export type Season = 'spring' | 'summer' | 'fall' | 'winter' | ''

export interface Status {
  playerCount: number
  maxPlayers: number
  /** The code for every player. Codes are only for callers with the key, or with `PUBLIC_INVITE_CODES`. */
  inviteCode?: string | undefined
  steamInviteCode?: string | undefined
  gogInviteCode?: string | undefined
  serverVersion: string
  gameVersion: string
  /** False while the game is offline; the other members are then the last known ones. */
  isOnline: boolean
  /** Players can join. */
  isReady: boolean
  dayTransitionComplete: boolean
  /** When the game last answered; empty before its first answer. */
  lastUpdated: string
  farmName: string
  /** 1 to 28. */
  day: number
  season: Season
  year: number
  /** HHMM: 600 is 6 AM, 2600 is 2 AM of the next day. */
  timeOfDay: number
  farmTypeKey: string
  isPaused: boolean
  version: number
  phase?: string | undefined
  serverName?: string | undefined
  startedAtUtc?: string | undefined
  tps?: number | undefined
  steamRelayReady?: boolean | undefined
  galaxyLobby?: string | undefined
  steamSession?: string | undefined
  authReadiness?: string | undefined
  galaxyLobbyState?: string | undefined
  steamSessionState?: string | undefined
  /** Who can use the invite code: `ready` for everyone, and `steamRelayPending` for players on GOG only. */
  connectionStatusCode?: string | undefined
}

export interface Settings {
  game: {
    farmName: string
    farmType: number | string
    profitMargin: number
    startingCabins: number
    spawnMonstersAtNight: string
  }
  server: {
    maxPlayers: number
    cabinStrategy: string
    separateWallets: boolean
    existingCabinBehavior: string
    /** Older game servers do not send it. */
    allowCabinRelocation?: boolean | undefined
  }
}

/** The members of server-settings.json that can be changed; missing ones stay unchanged. */
export interface SettingsPatch {
  game?:
    | {
        farmName?: string
        /** 0 to 7, or the name or mod id of a farm. */
        farmType?: number | string
        profitMargin?: number
        startingCabins?: number
        spawnMonstersAtNight?: 'auto' | 'true' | 'false'
        remixBundles?: boolean
        remixMines?: boolean
        communityCenterYear1?: boolean
        cabinLayoutNearby?: boolean
        useLegacyRandom?: boolean
        petBreed?: number
        petName?: string
        mushroomCave?: boolean
        buyJoja?: boolean
      }
    | undefined
  server?:
    | {
        maxPlayers?: number
        cabinStrategy?: 'CabinStack' | 'FarmhouseStack' | 'None'
        separateWallets?: boolean
        existingCabinBehavior?: 'KeepExisting' | 'MoveToStack'
        allowCabinRelocation?: boolean
        verboseLogging?: boolean
        allowIpConnections?: boolean
        enforceFarmhandOwnership?: boolean
        lobbyMode?: 'Shared' | 'Individual'
        activeLobbyLayout?: string
        adminSteamIds?: string[]
        networkBroadcastPeriod?: number
      }
    | undefined
}

export interface SettingsChange {
  success: true
  message: string
  /** As the file has them now. */
  settings: Settings
  changed: {
    /** Such as `server.maxPlayers`. */
    setting: string
    /** `now`: the game has this value loaded already. `reload`: also when the game starts. */
    takesEffect: 'now' | 'reload' | 'new_game'
  }[]
}

export interface Cabin {
  tileX: number
  tileY: number
  isHidden: boolean
  type: string
  /** 0: without an owner. */
  ownerId: bigint
  ownerName: string
  isAssigned: boolean
}

export interface Cabins {
  strategy: string
  totalCount: number
  assignedCount: number
  availableCount: number
  cabins: Cabin[]
  savedPositionPlayerIds: bigint[]
  /** A change of the strategy that was begun with `cabins migrate` and is not committed. */
  migration?:
    | { fromStrategy: string; toStrategy: string; placedCount: number; remainingCount: number }
    | undefined
  /** Where each player sees their own cabin, with the strategy CabinStack. */
  stackSpot?:
    | {
        tileX: number
        tileY: number
        /** An admin chose it. */
        isOverride: boolean
        isObstructed: boolean
        /** False: `isObstructed` is meaningless, because there is no hidden cabin. */
        obstructionChecked: boolean
      }
    | undefined
  /** The tile in front of the farmhouse. */
  mainFarmHouseEntry?: { x: number; y: number } | undefined
}

export interface Health {
  status: 'ok' | 'degraded'
  timestamp: string
  /** Milliseconds since the last tick of the game. */
  lastTickMs?: number | undefined
  pendingActions: number
  /** The game answers and has a farm loaded. */
  gameAvailable: boolean
  tickCount: number
  isFrozen: boolean
  /** `failed`: farmgate's records (keys, audit, history) are not written to its disk. */
  records: 'ok' | 'failed'
  // Newer game servers report their connections to Steam and GOG Galaxy.
  steamRelayReady?: boolean | undefined
  galaxyLobby?: string | undefined
  steamSession?: string | undefined
  authReadiness?: string | undefined
  /** No key is set; absent where a key is needed. */
  keyless?: true | undefined
}

/** The game process. */
export interface Stats {
  fps: number
  tps: number
  targetTps: number
  avgTickMs: number
  /** Managed heap, megabytes. */
  memoryMb: number
  gcGen0: number
  gcGen1: number
  gcGen2: number
  pendingActions: number
  gameThreadWaitMs: number
  startedAtUtc?: string | undefined
  uptimeSeconds?: number | undefined
}

/** The host's display. `success` is false when it cannot be taken; `error` then says why. */
export interface Screenshot {
  success: boolean
  base64Png?: string | undefined
  width: number
  height: number
  error?: string | undefined
}

export interface PasswordProtection {
  enabled: boolean
  authenticatedCount: number
  pendingCount: number
  timeoutSeconds: number
  maxAttempts: number
}

/** Options of a new world; missing ones come from the server's settings. */
export interface NewGame {
  farmType?: number | string | undefined
  farmName?: string | undefined
  startingCabins?: number | undefined
  cabinStrategy?: string | undefined
  maxPlayers?: number | undefined
  allowIpConnections?: boolean | undefined
  profitMargin?: number | undefined
  separateWallets?: boolean | undefined
  allowCabinRelocation?: boolean | undefined
}

/** The answer to a change that returns nothing else. */
export interface Done {
  success: true
  message: string
}

/** The answer to the revocation of a key, the deletion of a webhook and similar calls. */
export interface Deleted extends Done {
  /** Set while the change is not on the farm's disk; `message` says what to do. */
  stored?: 'memory'
}
