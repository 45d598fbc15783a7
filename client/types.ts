/**
 * The records of the API as plain types. Ids are bigints; timestamps are ISO 8601 in UTC with milliseconds.
 * Written by `npm run generate`.
 */

/** The person of a session. */
export interface Account {
  id: string
  provider: 'discord' | 'oidc'
  name: string
}

/** A Discord role, or a group of the OIDC issuer, that gives scopes. */
export interface AccountGroup {
  provider: 'discord' | 'oidc'
  id: string
  scopes: Scope[]
}

export interface AccountRecord extends Account {
  /** Given by invitations and by an admin. */
  scopes: Scope[]
  /** Given by the groups that the person had at the last sign-in; none a week after it. */
  groupScopes: Scope[]
  createdAt: string
  signedInAt: string
}

export interface Accounts {
  accounts: AccountRecord[]
  groups: AccountGroup[]
}

export interface AuditEntry {
  id: string
  at: string
  requestId: string
  /** The key that it was sent with. */
  key?: { id: string; name: string } | undefined
  account?: Account
  /** The caller's address, as the server knows it. */
  address: string
  /** The operation id of the endpoint, or `chat_send` or `wrongKey`. */
  action: string
  parameters: Record<string, unknown>
  /** Where the write came from: the farm's own port, the edge, farmgate's command line through either, or a part of farmgate itself. */
  origin: 'local' | 'edge' | 'cli' | 'discord' | 'schedule' | 'watchdog'
  /** `unknown`: the change may have been made. */
  outcome: 'done' | 'refused' | 'failed' | 'unknown'
  /** The HTTP status of the answer; missing until there is one. */
  status?: number | undefined
}

export interface AuditPage {
  entries: AuditEntry[]
  next?: string | undefined
}

/** A backup of the farm's save. */
export interface Backup {
  id: string
  madeAt: string
  /** `manual`: made by hand. */
  reason: 'day' | 'manual' | 'before_restore'
  /** The name of its save, which ends with the number of the farm. */
  save: string
  farmName: string
  season: 'spring' | 'summer' | 'fall' | 'winter'
  /** 1 to 28. */
  day: number
  year: number
  /** Of the archive. */
  bytes: number
  /** When the archive was read back and found whole. */
  verifiedAt?: string | undefined
  /** The off-site copy: `none` where no off-site storage is set. */
  offsite: 'none' | 'pending' | 'done' | 'failed'
}

export interface Backups {
  /** Newest first. */
  backups: Backup[]
  state: {
    /** `absent`: farmgate sees no saves. `read_only`: backups are possible, but no restore. */
    saves: 'mounted' | 'read_only' | 'absent'
    /** When the newest verified backup was made. */
    lastVerifiedAt?: string | undefined
    /** Set while the last attempt has failed. `no_day`: the game has not reported a day for 15 minutes. `not_whole`: the save is incomplete, or of another day. `disk_low`: only the reserve of free space is left. `other`: the log has the cause. */
    failing?: 'no_day' | 'not_whole' | 'disk_low' | 'other' | undefined
    nextAfter: 'game day'
  }
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

/** Why the farm cannot be played normally; missing while there is no problem. */
export interface Cause {
  code: CauseCode
  message: string
  /** What to do. */
  next: string
  since: string
}

export type CauseCode =
  | 'connection_refused'
  | 'no_answer'
  | 'key_refused'
  | 'not_its_api'
  | 'frozen'
  | 'no_farm'
  | 'ticket_service'
  | 'clock'
  | 'disk'
  | 'process_crashed'
  | 'process_stopped'
  | 'link_down'

export interface Connection {
  joinPath: JoinPath
  /** The account's id there, decimal; LAN has none. */
  identity?: string | undefined
}

export interface Deleted {
  success: true
  message: string
  /** Set while the change is not on the farm's disk: it is lost when farmgate is killed before DATA_DIR can be written. */
  stored?: 'memory'
}

/** Binds one Discord server to the farm, once. No other call returns the code. */
export interface DiscordCode {
  code: string
  expiresAt: string
}

/** What members with a role may do in addition to `read`, which every member of a bound Discord server may. */
export interface DiscordRole {
  id: string
  scopes: ('chat' | 'control')[]
}

/** A Discord server that is bound to the farm. */
export interface DiscordServer {
  id: string
  boundAt: string
  roles: DiscordRole[]
}

export interface DiscordServers {
  /** Whether `DISCORD_PUBLIC_KEY` is set at the queried address, so that it accepts Discord commands. */
  isSetUp: boolean
  servers: DiscordServer[]
}

export interface GameAccount {
  platform: 'steam' | 'galaxy'
  /** Decimal: a SteamID64, or the id at GOG Galaxy. */
  id: string
}

export interface Farmhand {
  id: bigint
  /** Empty while no one has claimed it. */
  name: string
  isCustomized: boolean
  /** How its first player connected. */
  claimedVia?: JoinPath | undefined
  /** Who owns it, where the game's save names an account. Only for `admin`. */
  account?: GameAccount | undefined
}

export interface Farmhands {
  farmhands: Farmhand[]
  /** Grows with every new snapshot of the game; `since` of the waiting calls compares it. */
  version: number
}

/** A farm and a day of it; `number` is the game's unique id, which ends the name of its save. */
export interface FarmMark {
  name: string
  number?: string
  season?: 'spring' | 'summer' | 'fall' | 'winter'
  /** 1 to 28. */
  day?: number
  year?: number
}

export interface FarmOutcome {
  farm: string
  /** `succeeded`: it was done; a restart has ended, or waits for its time, as the detail says. `failed`: it was not, or that is unknown. `skipped`: the farm was not called. */
  outcome: 'succeeded' | 'failed' | 'skipped'
  detail?: string
}

export interface FleetAction {
  state: 'running' | 'ended'
  /** Of the farms that are done so far, sorted by name. */
  outcomes: FarmOutcome[]
}

export interface FleetActionSummary {
  id: string
  action: FleetActionName
  /** When it began. */
  at: string
  state: 'running' | 'ended'
  /** How many farms it is for. */
  farms: number
  /** Farms so far, as are `failed` and `skipped`. */
  succeeded: number
  failed: number
  skipped: number
}

export type FleetActionName = 'announce' | 'restart' | 'backup'

export interface FleetActionRequest {
  action: FleetActionName
  /** The names of farms. */
  farms?: string[] | undefined
  /** Farms with any of these tags, in addition to those in `farms`. */
  tags?: string[] | undefined
  /** The members of the body that the action's own call takes. */
  arguments?: Record<string, unknown> | undefined
  /** At how many farms it is done at a time; a restart counts until it has ended. */
  atOnce?: number | undefined
  /** After so many failures, the farms that were not called yet are skipped. */
  stopAfterFailures?: number | undefined
}

export interface FleetEntry {
  farm: string
  createdAt: string
  /** False for a farm that is offline or has never reported. */
  linked: boolean
  /** What is wrong now, worst first. */
  trouble: FleetTrouble[]
  lastSeen?: string
  players?: number
  maxPlayers?: number
  /** Of the game server. */
  version?: string
  farmgateVersion?: string
  /** Whole hours since the last verified backup; missing while there is none. */
  backupAgeHours?: number
  /** Whole days until the sign-in to Steam ends. */
  tokenDays?: number
  tags: string[]
  note?: string
}

export type FleetTrouble =
  | 'offline'
  | 'never_linked'
  | 'game_offline'
  | 'wrong_farm'
  | 'night_stuck'
  | 'signed_out'
  | 'records_failing'
  | 'backup_failing'
  | 'backup_old'
  | 'token_expiring'
  | 'version_old'

export interface GameHost {
  driver: 'docker' | 'systemd' | 'pelican' | 'command' | 'simulated'
  /** `unknown`: the host of the game does not answer. */
  state: 'running' | 'starting' | 'stopping' | 'stopped' | 'crashed' | 'unknown'
  /** When this state began. */
  since?: string
  exitCode?: number
  /** Restarts by farmgate since midnight UTC. */
  restartsToday: number
  can: { console: boolean; log: boolean }
  watchdog: { mode: 'off' | 'notify' | 'restart'; restartsThisHour: number; gaveUpAt?: string }
  resources: {
    machine: {
      /** Of all processors, 0 to 100; missing until it is known. */
      cpuPercent?: number
      memory: { used: number; total: number }
      /** Of each folder that farmgate or the game writes. */
      disks: { path: string; used: number; total: number }[]
    }
    /** Missing while its host does not report it. */
    game?: {
      /** Of all processors, 0 to 100; missing until it is known. */
      cpuPercent?: number
      memory: { used: number; limit?: number }
    }
  }
  /** The current operation. */
  operation: HostOperation | null
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
  /** The game's answers are old: it saves a night that its status does not show, or it is frozen. */
  isStale?: true | undefined
  /** `failed`: farmgate's records (keys, audit, history) are not written to its disk. */
  records: 'ok' | 'failed'
  steamRelayReady?: boolean | undefined
  galaxyLobby?: string | undefined
  steamSession?: string | undefined
  authReadiness?: string | undefined
  cause?: Cause
  /** No key is set; absent where a key is needed. */
  keyless?: true | undefined
}

export interface HistoryChat {
  lines: { seq: number; playerName: string; message: string; timestamp: string }[]
  next?: string | undefined
}

export interface HistoryDays {
  days: {
    day: number
    season: string
    year: number
    beganAt: string
    /** Missing for the current day, and where it is unknown. */
    endedAt?: string | undefined
    /** Who was on the farm at any time of the day. */
    players: { playerId: bigint; name: string }[]
  }[]
  next?: string | undefined
}

export interface HistoryOutages {
  outages: {
    of: 'game' | 'farmgate'
    from: string
    /** Missing while it lasts. */
    to?: string
    /** Of the game; see `GET /status`. */
    cause?: CauseCode
  }[]
  /** Of the time from `from`, or since outages are recorded, without an outage: 0 to 1. */
  share: number
}

export interface HistoryPlayers {
  players: {
    playerId: bigint
    name: string
    firstSeen: string
    lastSeen: string
    minutesPlayed: number
    sessions: number
  }[]
}

export interface HistorySamples {
  /** Seconds of each step. */
  step: number
  samples: {
    /** When the step began. */
    at: string
    players?: Summary | undefined
    ticksPerSecond?: Summary | undefined
    tickMs?: Summary | undefined
    memoryMb?: Summary | undefined
    /** How long the game took to answer. */
    answerMs?: Summary | undefined
    /** Of all processors, 0 to 100. */
    machineCpuPercent?: Summary | undefined
    machineMemoryMb?: Summary | undefined
    /** Of all processors, 0 to 100. */
    gameCpuPercent?: Summary | undefined
    /** Of the process, as its host reports it. */
    gameMemoryMb?: Summary | undefined
    /** Of the fullest disk that farmgate or the game writes. */
    diskPercent?: Summary | undefined
  }[]
}

export interface HistorySessions {
  sessions: {
    playerId: bigint
    name: string
    joinedAt: string
    /** Missing while the player is on the farm. */
    leftAt?: string | undefined
    joinPath?: JoinPath | undefined
    /** `left`: the player left. `away`: the game stopped or no longer answered. `unknown`: farmgate did not run. */
    ended?: 'left' | 'away' | 'unknown' | undefined
  }[]
  next?: string | undefined
}

export interface HostLogLine {
  /** When it was printed, where the host reports it. */
  at?: string
  text: string
}

export interface HostOperation {
  id: string
  action: 'start' | 'stop' | 'restart' | 'load_save' | 'new_farm'
  when: 'now' | 'empty' | 'night'
  state: HostOperationState
  requestedAt: string
  endedAt?: string
  /** While it warns the players: when it stops the game, unless all leave before. */
  stopsAt?: string
  /** The key or account that asked for it, or `watchdog`. */
  by: { id: string; name: string }
  reason?: string
  /** Why it failed. */
  error?: string
  /** Of `load_save` and `new_farm`: it failed, and the game plays the farm from before. */
  undone?: true
  /** The last lines of the game's log when it failed, at most 20. */
  lines?: HostLogLine[]
  steps: { state: HostOperationState; at: string }[]
}

export type HostOperationState =
  | 'waiting'
  | 'warning'
  | 'saving'
  | 'backing_up'
  | 'stopping'
  | 'preparing'
  | 'starting'
  | 'checking'
  | 'succeeded'
  | 'failed'
  | 'cancelled'

/** The body of `startGame`, `stopGame` and `restartGame`. */
export interface HostRequest extends LoadRequest {
  /** Neither a night that lasts five minutes, nor a failed backup, nor a start that creates a new farm, prevents it; false unless given. */
  force?: boolean | undefined
}

export interface Invitation {
  id: string
  scopes: Scope[]
  /** How many people may accept it. */
  uses: number
  used: number
  createdAt: string
  expiresAt: string
}

/** How a player connects: through Steam's relay, GOG Galaxy or LAN. */
export type JoinPath = 'relay' | 'galaxy' | 'lan' | 'unknown'

/** A named key without the key itself, or a session. */
export interface Key {
  /** Also a part of the key itself: `fg_<id>_<secret>`. */
  id: string
  name: string
  scopes: Scope[]
  createdAt: string
  /** Missing when it does not expire. */
  expiresAt?: string | undefined
  /** To the minute; missing until it is used. */
  lastUsedAt?: string | undefined
  account?: Account
  /** The person whose session made it, or made the key that did; missing once the account is deleted. */
  madeBy?: Account
}

/** How the game is stopped for a save that its next start loads. */
export interface LoadRequest {
  /** `empty`: when no one is connected. `night`: after a day has been saved. `now` unless given. */
  when?: 'now' | 'empty' | 'night' | undefined
  /** Minutes before the stop at which connected players are warned, falling; 10, 5 and 1 unless given. */
  warnMinutes?: number[] | undefined
  /** A backup is made before the stop, where backups are set up; true unless given. */
  backup?: boolean | undefined
  reason?: string | undefined
}

export interface KeptSchedule extends Schedule {
  /** Set while the change is not on the farm's disk: it is lost when farmgate is killed before DATA_DIR can be written. */
  stored?: 'memory'
}

export interface MadeBackup extends Backup {
  /** False: a verified backup of the same save existed already, and this is it. */
  created: boolean
}

export interface InstalledMods {
  installed: { id: string; name: string; version: string; folder: string }[]
  replaced: { id: string; name: string; version: string; folder: string }[]
}

export interface Mod {
  /** SMAPI's UniqueID; the folder of a mod without a readable manifest. */
  id: string
  /** Below the folder of the mods, with `/`. */
  folder: string
  name: string
  version: string
  author: string
  description?: string
  enabled: boolean
  kind: 'code' | 'content'
  /** The mod that reads this content pack. */
  contentFor?: string
  dependencies: ModDependency[]
  /** How many further ones are not shown. */
  moreDependencies?: number
  side: ModSide
  update?: { version: string; url: string }
  problems: ModProblem[]
  /** How many further ones are not shown. */
  moreProblems?: number
}

export interface ModDependency {
  id: string
  minimumVersion?: string
  required: boolean
  state: 'ok' | 'missing' | 'disabled' | 'too_old'
}

export interface ModProblem {
  code:
    | 'no_manifest'
    | 'bad_manifest'
    | 'duplicate'
    | 'dependency_missing'
    | 'dependency_disabled'
    | 'dependency_too_old'
  of?: string
  message: string
}

export interface Mods {
  mods: Mod[]
  /** A mod was changed after the game had started. */
  restartNeeded: boolean
  /** `ro`: farmgate may not change the mods (MODS_ACCESS). */
  access: 'ro' | 'rw'
  /** The folder has more than farmgate reads; some mods are missing here. */
  incomplete?: true
}

/** Who needs the mod; `unknown` until an operator says it. */
export type ModSide = 'server' | 'players' | 'unknown'

/** A new farm; missing settings stay as the settings file has them. */
export interface NewFarm extends HostRequest {
  farmName: string
  farmType?: number | string | undefined
  profitMargin?: number | undefined
  startingCabins?: number | undefined
  spawnMonstersAtNight?: 'auto' | 'true' | 'false' | undefined
  cabinStrategy?: 'CabinStack' | 'FarmhouseStack' | 'None' | undefined
  maxPlayers?: number | undefined
  separateWallets?: boolean | undefined
  allowCabinRelocation?: boolean | undefined
  allowIpConnections?: boolean | undefined
}

/** Options of a new world; missing ones come from the server's settings. */
export interface NewGame {
  farmType?: number | string | undefined
  farmName?: string | undefined
  startingCabins?: number | undefined
  cabinStrategy?: string | undefined
  maxPlayers?: number | undefined
  allowCabinRelocation?: boolean | undefined
  allowIpConnections?: boolean | undefined
  profitMargin?: number | undefined
  separateWallets?: boolean | undefined
}

export interface NewInvitation extends Invitation {
  url: string
  /** Set while the change is not on the farm's disk: it is lost when farmgate is killed before DATA_DIR can be written. */
  stored?: 'memory'
}

export interface NewKey extends Key {
  /** The key itself, shown only here. */
  key: string
  /** Set while the change is not on the farm's disk: it is lost when farmgate is killed before DATA_DIR can be written. */
  stored?: 'memory'
}

export interface NewWebhook extends Webhook {
  /** The key with which it signs, shown only here; only of the format `standard`. */
  secret?: string | undefined
  /** Set while the change is not on the farm's disk: it is lost when farmgate is killed before DATA_DIR can be written. */
  stored?: 'memory'
}

/** The key or session of the caller. */
export interface OwnKey {
  /** `api_key` for API_KEY, `no_key` where no key is set. */
  id: string
  name: string
  scopes: Scope[]
  account?: Account
}

export interface PackLink {
  id: string
  createdAt: string
  expiresAt: string
  /** The key or person that made it. */
  by: { id: string; name: string }
}

export interface PasswordProtection {
  enabled: boolean
  authenticatedCount: number
  pendingCount: number
  timeoutSeconds: number
  maxAttempts: number
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

export interface RestoredBackup {
  success: true
  /** A sentence: what is restored, or would be, and what is lost. */
  message: string
  /** The id of the backup of the save before it was replaced. */
  safetyBackup?: string
}

export interface AllowedAccount {
  platform: 'steam' | 'galaxy'
  id: string
  note?: string | undefined
}

/** An empty list allows everyone. */
export interface Allowlist {
  accounts: AllowedAccount[]
}

/** A save in the folder of the game. */
export interface Save {
  /** Of its folder, such as `Clover_123456789`. */
  name: string
  farmName: string
  season: 'spring' | 'summer' | 'fall' | 'winter'
  /** 1 to 28. */
  day: number
  year: number
  /** The host, then the farmhands. */
  people: string[]
  /** The farmer of the host. One of a person is taken over by the server that loads the save as it is. */
  host: {
    name: string
    /** Whether it is the server's own farmer. */
    isServer: boolean
  }
  /** Of all its files. */
  bytes: number
  /** When the game last wrote it; of an upload, when it arrived. */
  savedAt: string
  /** The game plays this one. */
  active: boolean
  /** Of the active one: names of the mods that the game has loaded, if known. */
  mods?: string[] | undefined
}

export interface Schedule {
  id: string
  name: string
  /** Five fields. */
  cron: string
  /** Of the IANA list. */
  timeZone: string
  do: ScheduledAction
  onlyWhenEmpty: boolean
  warnMinutes: number[]
  enabled: boolean
  /** Why farmgate has disabled it. */
  disabledBecause?: string
  /** Null while it is disabled. */
  nextAt: string | null
  last?: ScheduleRun
}

/** The arguments are those of the action's own call. */
export type ScheduledAction = {
  action: 'restart' | 'start' | 'stop' | 'backup' | 'announce' | 'reload' | 'clock_speed' | 'rendering'
} & Record<string, unknown>

export interface ScheduleRun {
  /** When it began; for a missed run, when it was due. */
  at: string
  /** `skipped`: players were connected. `missed`: farmgate was down at its time and for 15 minutes after it. */
  outcome: 'succeeded' | 'failed' | 'skipped' | 'missed'
  detail?: string
}

/** The scopes of a key; `admin` includes the three others. */
export type Scope = 'read' | 'chat' | 'control' | 'admin'

/** The display of the host. `success` is false when it cannot be taken; `error` then says why. */
export interface Screenshot {
  success: boolean
  base64Png?: string | undefined
  width: number
  height: number
  error?: string | undefined
}

/** Empty before the first answer of the game. */
export type Season = 'spring' | 'summer' | 'fall' | 'winter' | ''

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

export interface SettingsChange {
  success: true
  message: string
  settings: Settings
  changed: {
    /** Such as `server.maxPlayers`. */
    setting: string
    /** `now`: the game has this value loaded already. `reload`: with `/reload`, or when the game starts. `new_game`: with the next new world. */
    takesEffect: 'now' | 'reload' | 'new_game'
  }[]
}

/** The members of server-settings.json that can be changed; missing ones stay unchanged. */
export interface SettingsPatch {
  game?:
    | {
        farmName?: string
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
  /** A newer release of farmgate, and the command that updates to it; with `UPDATE_CHECK`. */
  update?: { version: string; command: string } | undefined
}

/** The game does not play the farm that it played before, until someone has decided which one is right. */
export interface UnexpectedFarm {
  /** `other_farm`: the game plays another farm. `earlier_day`: it plays the farm on a day before the last saved one. `pointer`: the next start of the game would create a new farm. */
  kind: 'other_farm' | 'earlier_day' | 'pointer'
  expected: FarmMark
  found: FarmMark
  since: string
}

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
  /** Grows with every new snapshot of the game; `since` of the waiting calls compares it. */
  version: number
  phase?: string | undefined
  serverName?: string | undefined
  startedAtUtc?: string | undefined
  tps?: number | undefined
  steamRelayReady?: boolean | undefined
  galaxyLobby?: string | undefined
  steamSession?: string | undefined
  authReadiness?: string | undefined
  /** Names of `galaxyLobby` and `steamSession` in newer versions. */
  galaxyLobbyState?: string | undefined
  steamSessionState?: string | undefined
  /** Who can use the invite code: `ready` for everyone, and `steamRelayPending` for players on GOG only. */
  connectionStatusCode?: string | undefined
  cause?: Cause
}

/** Mean and maximum within one step. */
export interface Summary {
  mean: number
  max: number
}

/** A webhook, without its URL and its secret. */
export interface Webhook {
  id: string
  name: string
  /** Of its URL. */
  origin: string
  events: WebhookEvent[]
  format: WebhookFormat
  createdAt: string
  /** When its receiver answered 410 Gone; nothing is sent to it any more. */
  disabledAt?: string | undefined
  /** Deliveries that have not arrived yet. */
  waiting: number
}

export interface WebhookDeliveries {
  deliveries: WebhookDelivery[]
  next?: string | undefined
}

export interface WebhookDelivery {
  /** `webhook-id` is `msg_` and this id. */
  id: string
  /** `test` for one that was made by `/webhooks/test`. */
  event: WebhookEvent | 'test'
  madeAt: string
  state: 'waiting' | 'delivered' | 'failed'
  tries: number
  /** Of a waiting one: not before then, and not before earlier ones. */
  nextTryAt?: string | undefined
  endedAt?: string | undefined
  /** The HTTP status of the last attempt. */
  status?: number | undefined
  /** Why the last attempt failed. */
  error?:
    | 'refused_address'
    | 'unresolved'
    | 'no_connection'
    | 'timeout'
    | 'redirect'
    | 'status'
    | 'gone'
    | 'too_many_waiting'
    | undefined
}

/** The events of a webhook. */
export type WebhookEvent =
  | 'player.joined'
  | 'player.left'
  | 'player.unlisted'
  | 'chat.message'
  | 'day.started'
  | 'farm.online'
  | 'farm.away'
  | 'farm.stuck'
  | 'game.crashed'
  | 'game.hung'
  | 'game.restarted'
  | 'game.wrong_farm'
  | 'watchdog.gave_up'
  | 'backup.failed'
  | 'token.expiring'
  | 'key.throttled'

export type WebhookFormat = 'standard' | 'discord' | 'text'

/** The answer to a change that returns nothing else. */
export interface Done {
  success: true
  message: string
}

/** Error codes of the server's answers: docs/api.md. */
// biome-ignore format: one code a line would be a page of them.
export type AnswerCode =
  | 'invalid_parameter' | 'archive_refused' | 'refused_address' | 'malformed_request' | 'unauthorized'
  | 'origin_not_allowed' | 'insufficient_scope' | 'other_browser' | 'not_found' | 'player_not_found'
  | 'farmhand_not_found' | 'key_not_found' | 'backup_not_found' | 'webhook_not_found'
  | 'delivery_not_found' | 'discord_server_not_found' | 'operation_not_found' | 'schedule_not_found'
  | 'save_not_found' | 'mod_not_found' | 'pack_link_not_found' | 'download_not_found' | 'farm_not_found'
  | 'action_not_found' | 'account_not_found' | 'invitation_not_found' | 'method_not_allowed'
  | 'wait_timeout' | 'farmhand_online' | 'save_in_progress' | 'ambiguous_name' | 'players_connected'
  | 'too_many_keys' | 'settings_changed' | 'settings_unusable' | 'too_many_webhooks' | 'too_many_schedules'
  | 'too_many_invitations' | 'too_many_pack_links' | 'not_signed_in' | 'keys_exist' | 'restore_refused'
  | 'save_exists' | 'saves_locked' | 'save_refused' | 'host_undecided' | 'restart_needed' | 'mod_needed'
  | 'already_running' | 'not_running' | 'operation_running' | 'too_late' | 'payload_too_large'
  | 'uri_too_long' | 'unsupported_media_type' | 'range_not_satisfiable' | 'upgrade_required'
  | 'rate_limited' | 'headers_too_large' | 'internal_error' | 'unsupported' | 'bad_game_response'
  | 'restore_undone' | 'issuer_unavailable' | 'updates_unavailable' | 'game_unavailable'
  | 'server_not_ready' | 'not_configured' | 'too_many_clients' | 'host_unavailable'
  | 'ticket_service_unavailable' | 'game_timeout' | 'disk_failed' | 'disk_low'

/** Error codes of refused messages on a live connection: docs/bot.md. */
// biome-ignore format: one code a line would be a page of them.
export type ChatCode =
  | 'malformed' | 'unknown_type' | 'invalid_payload' | 'message_too_long' | 'rate_limited'
  | 'game_unavailable' | 'outcome_unknown' | 'unknown_topic' | 'insufficient_scope'
