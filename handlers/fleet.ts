/** The fleet of an edge: its farms, each with two keys (docs/edge.md). Only the edge has it. */

import * as v from 'valibot'
import { whereStored } from './deletion.ts'
import { described, docs } from './described.ts'
import type { FleetAction, FleetActionRequest, FleetActionSummary } from './fleet-action.ts'
import { timestamp } from './game-records.ts'
import { Problem } from './problem.ts'

export const farmName = /^[a-z0-9][a-z0-9-]{0,62}$/

/** What can be wrong with a farm, worst first (docs/edge.md, "Trouble"). */
const troubles = [
  'offline',
  'never_linked',
  'game_offline',
  'wrong_farm',
  'night_stuck',
  'signed_out',
  'records_failing',
  'backup_failing',
  'backup_old',
  'token_expiring',
  'version_old',
] as const
export type Trouble = (typeof troubles)[number]

export const aTag =
  "Member 'tags' must be a list of at most 20 texts of 1 to 32 visible characters, with single blanks between words and without commas"
export const aNote = "Member 'note' must be a text of at most 500 visible characters"
/** Operators separate tags by commas, also by those of a Chinese keyboard. */
const tag = v.pipe(v.string(aTag), v.maxLength(32, aTag), v.regex(/^ *[^\s,，、]+( [^\s,，、]+)* *$/, aTag))

/** A farm as `GET /farms` shows it: when it was created, what its object reported last, and what its operator noted. */
export const fleetEntry = v.object({
  farm: v.string(),
  createdAt: timestamp,
  linked: described(docs('False for a farm that is offline or has never reported.'), v.boolean()),
  trouble: described(docs('What is wrong now, worst first.'), v.array(v.picklist(troubles))),
  lastSeen: v.exactOptional(timestamp),
  players: v.exactOptional(v.number()),
  maxPlayers: v.exactOptional(v.number()),
  version: v.exactOptional(described(docs('Of the game server.'), v.string())),
  farmgateVersion: v.exactOptional(v.string()),
  backupAgeHours: v.exactOptional(
    described(docs('Whole hours since the last verified backup; missing while there is none.'), v.number()),
  ),
  tokenDays: v.exactOptional(described(docs('Whole days until the sign-in to Steam ends.'), v.number())),
  tags: v.array(v.string()),
  note: v.exactOptional(v.string()),
})
export type FleetEntry = v.InferOutput<typeof fleetEntry>

/** The members of a farm that its operator sets; an absent one is kept, and an empty note removes the note. */
export const fleetNotes = v.strictObject({
  tags: v.exactOptional(v.pipe(v.array(tag, aTag), v.maxLength(20, aTag))),
  note: v.exactOptional(v.pipe(v.string(aNote), v.maxLength(500, aNote))),
})
export type FleetNotes = v.InferOutput<typeof fleetNotes>

/** A tag or a note as it is stored and compared: two that look the same are the same. */
export const tidy = (text: string): string => text.normalize('NFC').trim()

/** A link that opens a farm's dashboard with a key of its own. */
export const dashboardLink = v.object({ url: v.string(), expiresAt: timestamp, ...whereStored })
type DashboardLink = v.InferOutput<typeof dashboardLink>

export const rotations = ['api', 'link', 'all'] as const

/** The only place that shows the keys. */
interface FarmKeys {
  readonly apiKey?: string
  readonly linkKey?: string
}

export interface Fleet {
  /**
   * Where the fleet's paths begin: host with port, and the path before `/farms`, empty or without a slash at its end.
   */
  readonly address: { readonly host: string; readonly basePath: string }
  /** All farms, sorted by name. */
  list(): Promise<readonly FleetEntry[]>
  /** @returns undefined for an existing farm, which stays unchanged */
  create(farm: string): Promise<FarmKeys | undefined>
  /**
   * Replaces keys of a farm.
   * @param overlapMinutes for how long the replaced keys are still valid; they end at once unless given
   * @returns the new keys, and when the old ones end; undefined when there is no such farm
   */
  rotate(
    farm: string,
    which: (typeof rotations)[number],
    overlapMinutes: number | undefined,
  ): Promise<(FarmKeys & { readonly oldKeysEndAt?: string }) | undefined>
  /** Deletes a farm, everything stored of it, and its sockets. @returns whether there was such a farm */
  remove(farm: string): Promise<boolean>
  /** @returns the changed farm; undefined when there is no such farm */
  note(farm: string, notes: FleetNotes): Promise<FleetEntry | undefined>
  /** Begins an action at many farms. @returns its id; undefined when no farm is named and none has one of the tags */
  beginAction(request: FleetActionRequest): Promise<string | undefined>
  /** @returns undefined when there is no such action, or no longer */
  action(id: string): Promise<FleetAction | undefined>
  /** The kept actions, newest first. */
  actions(): Promise<readonly FleetActionSummary[]>
  /**
   * Makes a key with every scope at a linked farm, for an hour.
   * @returns undefined when there is no such farm
   * @throws {Problem} game_unavailable, and what else the farm answers
   */
  dashboardLink(farm: string): Promise<DashboardLink | undefined>
}

/** @param code `not_found` for the calls that had it before there was a code for farms */
export const noSuchFarm = (farm: string, code: 'farm_not_found' | 'not_found' = 'farm_not_found') =>
  new Problem(code, `There is no farm ${farm}`, { path: `/farms/${farm}` })
