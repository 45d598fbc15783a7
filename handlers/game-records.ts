/**
 * The records a game answers with, in the shape and member order of the API's JSON. Ids are int64 (bigint; in JSON
 * each also has its text, see `stringifyRecord`), timestamps ISO 8601 UTC with milliseconds.
 */
import * as v from 'valibot'
import { cause } from './cause.ts'
import { described, docs } from './described.ts'
import { int64 } from './int64.ts'

const count = v.pipe(v.number(), v.integer(), v.minValue(0))
const version = described(
  docs('Grows with every new snapshot of the game; `since` of the waiting calls compares it.'),
  v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
)
export const timestamp = v.pipe(v.string(), v.isoTimestamp())

const joinPath = described(
  docs("How a player connects: through Steam's relay, GOG Galaxy or LAN."),
  v.picklist(['relay', 'galaxy', 'lan', 'unknown']),
)

export const connection = v.object({
  joinPath,
  identity: v.optional(described(docs("The account's id there, decimal; LAN has none."), v.string())),
})

export const player = v.object({
  id: int64,
  name: v.string(),
  isOnline: v.boolean(),
  connection: v.optional(connection),
})
export const players = described(
  docs('Who is connected, without the host.'),
  v.object({ players: v.array(player), version }),
)

/** An account of a player outside of farmgate. */
export const gameAccount = v.object({
  platform: v.picklist(['steam', 'galaxy']),
  id: described(docs('Decimal: a SteamID64, or the id at GOG Galaxy.'), v.string()),
})
export type GameAccount = Readonly<v.InferOutput<typeof gameAccount>>

export const farmhand = v.object({
  id: int64,
  name: described(docs('Empty while no one has claimed it.'), v.string()),
  isCustomized: v.boolean(),
  claimedVia: v.optional(described(docs('How its first player connected.'), joinPath)),
  account: v.optional(
    described(docs("Who owns it, where the game's save names an account. Only for `admin`."), gameAccount),
  ),
})
export const farmhands = v.object({ farmhands: v.array(farmhand), version })

const season = described(
  docs('Empty before the first answer of the game.'),
  v.picklist(['spring', 'summer', 'fall', 'winter', '']),
)

/** What a newer game server reports of its connections to Steam and GOG Galaxy, by which players join. */
const connectivity = {
  steamRelayReady: v.optional(v.boolean()),
  galaxyLobby: v.optional(v.string()),
  steamSession: v.optional(v.string()),
  authReadiness: v.optional(v.string()),
}
export const connections = v.object(connectivity)

export const status = v.object({
  playerCount: count,
  maxPlayers: count,
  inviteCode: v.optional(
    described(
      docs(
        'The code for every player. Codes are only for callers with the key, or with `PUBLIC_INVITE_CODES`.',
      ),
      v.string(),
    ),
  ),
  steamInviteCode: v.optional(v.string()),
  gogInviteCode: v.optional(v.string()),
  serverVersion: v.string(),
  gameVersion: v.string(),
  isOnline: described(
    docs('False while the game is offline; the other members are then the last known ones.'),
    v.boolean(),
  ),
  isReady: described(docs('Players can join.'), v.boolean()),
  dayTransitionComplete: v.boolean(),
  lastUpdated: described(
    docs('When the game last answered; empty before its first answer.'),
    v.union([v.literal(''), timestamp]),
  ),
  farmName: v.string(),
  day: described(docs('1 to 28.'), count),
  season,
  year: count,
  timeOfDay: described(docs('HHMM: 600 is 6 AM, 2600 is 2 AM of the next day.'), count),
  farmTypeKey: v.string(),
  isPaused: v.boolean(),
  version,
  // JunimoServer sends these since September 2026.
  phase: v.optional(v.string()),
  serverName: v.optional(v.string()),
  startedAtUtc: v.optional(v.string()),
  tps: v.optional(v.number()),
  ...connectivity,
  galaxyLobbyState: v.optional(
    described(docs('Names of `galaxyLobby` and `steamSession` in newer versions.'), v.string()),
  ),
  steamSessionState: v.optional(v.string()),
  connectionStatusCode: v.optional(
    described(
      docs(
        'Who can use the invite code: `ready` for everyone, and `steamRelayPending` for players on GOG only.',
      ),
      v.string(),
    ),
  ),
  cause: v.exactOptional(cause),
})

export const settings = v.object({
  game: v.object({
    farmName: v.string(),
    farmType: v.union([v.number(), v.string()]),
    profitMargin: v.number(),
    startingCabins: v.number(),
    spawnMonstersAtNight: v.string(),
  }),
  server: v.object({
    maxPlayers: v.number(),
    cabinStrategy: v.string(),
    separateWallets: v.boolean(),
    existingCabinBehavior: v.string(),
    allowCabinRelocation: v.optional(described(docs('Older game servers do not send it.'), v.boolean())),
  }),
})

const tile = v.pipe(v.number(), v.integer())

export const cabin = v.object({
  tileX: tile,
  tileY: tile,
  isHidden: v.boolean(),
  type: v.string(),
  ownerId: described(docs('0: without an owner.'), int64),
  ownerName: v.string(),
  isAssigned: v.boolean(),
})
const cabinMigration = described(
  docs('A change of the strategy that was begun with `cabins migrate` and is not committed.'),
  v.object({
    fromStrategy: v.string(),
    toStrategy: v.string(),
    placedCount: count,
    remainingCount: count,
  }),
)

const stackSpot = described(
  docs('Where each player sees their own cabin, with the strategy CabinStack.'),
  v.object({
    tileX: tile,
    tileY: tile,
    isOverride: described(docs('An admin chose it.'), v.boolean()),
    isObstructed: v.boolean(),
    obstructionChecked: described(
      docs('False: `isObstructed` is meaningless, because there is no hidden cabin.'),
      v.boolean(),
    ),
  }),
)

export const cabins = v.object({
  strategy: v.string(),
  totalCount: count,
  assignedCount: count,
  availableCount: count,
  cabins: v.array(cabin),
  savedPositionPlayerIds: v.array(int64),
  // Newer game servers send these.
  migration: v.optional(cabinMigration),
  stackSpot: v.optional(stackSpot),
  mainFarmHouseEntry: v.optional(
    described(docs('The tile in front of the farmhouse.'), v.object({ x: tile, y: tile })),
  ),
})

export const stats = described(
  docs('The game process.'),
  v.object({
    fps: v.number(),
    tps: v.number(),
    targetTps: v.number(),
    avgTickMs: v.number(),
    memoryMb: described(docs('Managed heap, megabytes.'), v.number()),
    gcGen0: count,
    gcGen1: count,
    gcGen2: count,
    pendingActions: count,
    gameThreadWaitMs: v.number(),
    startedAtUtc: v.optional(v.string()),
    uptimeSeconds: v.optional(count),
    update: v.optional(
      described(
        docs('A newer release of farmgate, and the command that updates to it; with `UPDATE_CHECK`.'),
        v.object({ version: v.string(), command: v.string() }),
      ),
    ),
  }),
)

export const screenshot = described(
  docs('The display of the host. `success` is false when it cannot be taken; `error` then says why.'),
  v.object({
    success: v.boolean(),
    base64Png: v.optional(v.string()),
    width: count,
    height: count,
    error: v.optional(v.string()),
  }),
)

export const passwordProtection = v.object({
  enabled: v.boolean(),
  authenticatedCount: count,
  pendingCount: count,
  timeoutSeconds: count,
  maxAttempts: count,
})

/** The strategies that JunimoServer knows; it reads them in any case. */
const strategies = ['CabinStack', 'FarmhouseStack', 'None']
/** Without the flag `i`, which a pattern of JSON Schema cannot have. */
const inAnyCase = (name: string) =>
  [...name].map((letter) => `[${letter.toUpperCase()}${letter.toLowerCase()}]`).join('')
const strategy = new RegExp(`^\\s*(${strategies.map(inAnyCase).join('|')})\\s*$`)
const playerLimit = 'must be a whole number from 1 to 100'
const margin = 'must be a number from 0.25 to 1'

export const newGame = described(
  docs("Options of a new world; missing ones come from the server's settings."),
  v.object({
    farmType: v.optional(v.union([v.pipe(v.number(), v.integer()), v.string()])),
    farmName: v.optional(v.string()),
    startingCabins: v.optional(count),
    cabinStrategy: v.optional(
      v.pipe(v.string(), v.regex(strategy, 'must be CabinStack, FarmhouseStack or None')),
    ),
    maxPlayers: v.optional(
      v.pipe(
        v.number(playerLimit),
        v.integer(playerLimit),
        v.minValue(1, playerLimit),
        v.maxValue(100, playerLimit),
      ),
    ),
    allowCabinRelocation: v.optional(v.boolean()),
    allowIpConnections: v.optional(v.boolean()),
    profitMargin: v.optional(v.pipe(v.number(margin), v.minValue(0.25, margin), v.maxValue(1, margin))),
    separateWallets: v.optional(v.boolean()),
  }),
)

export type Connection = v.InferOutput<typeof connection>
export type Player = v.InferOutput<typeof player>
export type Players = v.InferOutput<typeof players>
export type Farmhand = v.InferOutput<typeof farmhand>
export type Farmhands = v.InferOutput<typeof farmhands>
export type Season = v.InferOutput<typeof season>
export type Connections = v.InferOutput<typeof connections>
export type Status = v.InferOutput<typeof status>
export type Settings = v.InferOutput<typeof settings>
export type Cabin = v.InferOutput<typeof cabin>
export type Cabins = v.InferOutput<typeof cabins>
export type Stats = v.InferOutput<typeof stats>
export type Screenshot = v.InferOutput<typeof screenshot>
export type PasswordProtection = v.InferOutput<typeof passwordProtection>
export type NewGame = v.InferOutput<typeof newGame>

/** The status of a game that has never answered: zeros and empty strings. */
export const neverSeen: Status = {
  playerCount: 0,
  maxPlayers: 0,
  serverVersion: '',
  gameVersion: '',
  isOnline: false,
  isReady: false,
  dayTransitionComplete: false,
  lastUpdated: '',
  farmName: '',
  day: 0,
  season: '',
  year: 0,
  timeOfDay: 0,
  farmTypeKey: '',
  isPaused: false,
  version: 0,
}
