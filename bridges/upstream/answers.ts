/**
 * Schemas of JunimoServer's answers, of versions before and after September 2026. They require only the members that
 * farmgate uses and ignore others. Their output are the records of `handlers/game-records.ts`: exact ids, timestamps
 * with milliseconds, no null members, members in the order of the API's JSON.
 */

import * as v from 'valibot'
import { FarmError } from '../../handlers/farm-error.ts'
import type * as records from '../../handlers/game-records.ts'
import { timestamp } from '../../handlers/game-records.ts'
import { int64 } from '../../handlers/int64.ts'
import { checkForeign, foreignValue } from '../../lib/foreign/read.ts'

type Schema<T> = v.GenericSchema<unknown, T>

/** JSON can have numbers beyond a double, such as 1e400. They would be infinite, which JSON cannot express. */
const number = v.pipe(v.number(), v.finite())
/** A count. The game does not validate its settings, so a value below zero becomes 0 and a fraction is cut off. */
const count = v.pipe(
  number,
  v.transform((value) => Math.max(0, Math.trunc(value))),
)
/** A number. The game's serialiser writes NaN and infinities as texts; they become 0. */
const measure = v.union([
  number,
  v.pipe(
    v.picklist(['NaN', 'Infinity', '-Infinity']),
    v.transform(() => 0),
  ),
])
const version = v.optional(v.pipe(number, v.safeInteger(), v.minValue(0)), 0)

const roundTrip = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(?:Z|\+00:00)$/

/**
 * Shortens .NET's seven digits of a second to milliseconds; undefined for a text that is not a time in UTC. It must
 * fit the schema of records, because the edge closes the link of a farm that sends another text as a time.
 */
export function milliseconds(time: string): string | undefined {
  const [, seconds, fraction = ''] = roundTrip.exec(time) ?? []
  const shortened = `${seconds}.${fraction.padEnd(3, '0').slice(0, 3)}Z`
  return v.is(timestamp, shortened) ? shortened : undefined
}
const time = v.pipe(
  v.string(),
  v.check((text) => text === '' || milliseconds(text) !== undefined, 'not a time in UTC'),
  v.transform((text) => milliseconds(text) ?? ('' as const)),
)

/** A name; missing when there is none yet. */
const unnamed = v.optional(v.string(), '')

const connectivity = {
  steamRelayReady: v.optional(v.boolean()),
  galaxyLobby: v.optional(v.string()),
  steamSession: v.optional(v.string()),
  authReadiness: v.optional(v.string()),
}

const whenOnline = ['playerCount', 'maxPlayers', 'isReady', 'farmName', 'day', 'season', 'year', 'timeOfDay']

/**
 * A game that is starting, and the small server that JunimoServer runs before it, send little more than
 * `isOnline:false`.
 */
export const status: Schema<records.Status> = v.pipe(
  v.looseObject({ isOnline: v.boolean() }),
  v.check((said) => !said.isOnline || whenOnline.every((member) => member in said), 'incomplete status'),
  v.object({
    playerCount: v.optional(count, 0),
    maxPlayers: v.optional(count, 4),
    inviteCode: v.optional(v.string()),
    steamInviteCode: v.optional(v.string()),
    gogInviteCode: v.optional(v.string()),
    serverVersion: v.optional(v.string(), 'unknown'),
    gameVersion: v.optional(v.string(), ''),
    isOnline: v.boolean(),
    isReady: v.optional(v.boolean(), false),
    dayTransitionComplete: v.optional(v.boolean(), false),
    lastUpdated: v.optional(time, ''),
    farmName: v.optional(v.string(), ''),
    day: v.optional(count, 0),
    season: v.optional(
      v.pipe(v.string(), v.toLowerCase(), v.picklist(['spring', 'summer', 'fall', 'winter', ''])),
      '',
    ),
    year: v.optional(count, 0),
    timeOfDay: v.optional(count, 0),
    farmTypeKey: v.optional(v.string(), ''),
    isPaused: v.optional(v.boolean(), false),
    version,
    phase: v.optional(v.string()),
    serverName: v.optional(v.string()),
    startedAtUtc: v.optional(time),
    tps: v.optional(measure),
    ...connectivity,
    galaxyLobbyState: v.optional(v.string()),
    steamSessionState: v.optional(v.string()),
    connectionStatusCode: v.optional(v.string()),
  }),
  v.transform(withBothCodes),
)

/**
 * Older game servers send the Steam code as `steamInviteCode`, newer ones as `inviteCode`; clients of both find it.
 * Versions before February 2026 have an `inviteCode` that is the code of GOG Galaxy, so only a Steam code is copied.
 */
function withBothCodes({ inviteCode, steamInviteCode, ...rest }: records.Status): records.Status {
  const { playerCount, maxPlayers, ...others } = rest
  const steam = steamInviteCode ?? (inviteCode?.startsWith('S') === true ? inviteCode : undefined)
  const shown = inviteCode ?? steam
  return {
    playerCount,
    maxPlayers,
    ...(shown !== undefined && { inviteCode: shown }),
    ...(steam !== undefined && { steamInviteCode: steam }),
    ...others,
  }
}

export const players: Schema<records.Players> = v.object({
  players: v.array(v.object({ id: int64, name: v.optional(v.string(), 'Unknown'), isOnline: v.boolean() })),
  version,
})

export const farmhands: Schema<records.Farmhands> = v.object({
  farmhands: v.array(v.object({ id: int64, name: unnamed, isCustomized: v.boolean() })),
  version,
})

const tile = v.pipe(number, v.transform(Math.trunc))

export const cabins: Schema<records.Cabins> = v.object({
  strategy: v.string(),
  totalCount: count,
  assignedCount: count,
  availableCount: count,
  cabins: v.array(
    v.object({
      tileX: tile,
      tileY: tile,
      isHidden: v.boolean(),
      type: v.string(),
      ownerId: int64,
      ownerName: unnamed,
      isAssigned: v.boolean(),
    }),
  ),
  savedPositionPlayerIds: v.optional(v.array(int64), []),
  migration: v.optional(
    v.object({ fromStrategy: v.string(), toStrategy: v.string(), placedCount: count, remainingCount: count }),
  ),
  stackSpot: v.optional(
    v.object({
      tileX: tile,
      tileY: tile,
      isOverride: v.boolean(),
      isObstructed: v.boolean(),
      obstructionChecked: v.boolean(),
    }),
  ),
  mainFarmHouseEntry: v.optional(v.object({ x: tile, y: tile })),
})

export const settings: Schema<records.Settings> = v.object({
  game: v.object({
    farmName: v.string(),
    farmType: v.union([number, v.string()]),
    profitMargin: measure,
    startingCabins: number,
    spawnMonstersAtNight: v.string(),
  }),
  server: v.object({
    maxPlayers: number,
    cabinStrategy: v.string(),
    separateWallets: v.boolean(),
    existingCabinBehavior: v.string(),
    allowCabinRelocation: v.optional(v.boolean()),
  }),
})

export const stats: Schema<records.Stats> = v.object({
  fps: measure,
  tps: measure,
  targetTps: number,
  avgTickMs: measure,
  memoryMb: measure,
  gcGen0: count,
  gcGen1: count,
  gcGen2: count,
  pendingActions: count,
  gameThreadWaitMs: measure,
  startedAtUtc: v.optional(time),
  uptimeSeconds: v.optional(count),
})

export const screenshot: Schema<records.Screenshot> = v.object({
  success: v.boolean(),
  base64Png: v.optional(v.string()),
  width: count,
  height: count,
  error: v.optional(v.string()),
})

export const passwordProtection: Schema<records.PasswordProtection> = v.object({
  enabled: v.boolean(),
  authenticatedCount: count,
  pendingCount: count,
  timeoutSeconds: count,
  maxAttempts: count,
})

export const inviteCode = v.union([
  v.object({ inviteCode: v.string() }),
  v.pipe(
    v.object({ error: v.string() }),
    v.transform(() => ({ inviteCode: undefined })),
  ),
])
export const rendering = v.object({ fps: count })
export const health = v.pipe(
  v.object({
    lastTickMs: v.optional(count),
    pendingActions: v.optional(count, 0),
    tickCount: count,
    isFrozen: v.boolean(),
    ...connectivity,
  }),
  v.transform(({ lastTickMs, pendingActions, tickCount, isFrozen, ...connections }) => ({
    lastTickMs,
    pendingActions,
    tickCount,
    isFrozen,
    connections,
  })),
)
export const diagnostics = v.objectWithRest({ capturedAt: v.optional(time) }, v.unknown())

/** The answer to a write: done, or the game's message about the failure. */
export const outcome = v.union([
  v.looseObject({ success: v.literal(true) }),
  v.looseObject({ success: v.literal(false), error: v.string() }),
])

/**
 * Reads an answer of the game.
 * @param write whether the request was a write, whose outcome is unknown when the answer is unreadable
 * @throws {FarmError} bad_response
 */
export function readAnswer<T>(schema: Schema<T>, text: string, write = false): T {
  const value = foreignValue(text)
  if (value === undefined) throw new FarmError({ kind: 'bad_response', detail: 'not JSON', write })
  const result = checkForeign(schema, withoutNulls(value))
  if (result.success) return result.output
  const [{ message, path }] = result.issues
  const where = path?.map(({ key }) => String(key)).join('.') ?? ''
  throw new FarmError({ kind: 'bad_response', detail: `${where}: ${message}`.slice(0, 200), write })
}

/** Removes null members: the game writes null for some members that it otherwise omits. */
function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null))
}
