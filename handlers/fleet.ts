/** The fleet of an edge: its farms, each with two keys (docs/edge.md). Only the edge has it. */
import * as v from 'valibot'
import { timestamp } from './game-records.ts'
import { Problem } from './problem.ts'

export const farmName = /^[a-z0-9][a-z0-9-]{0,62}$/

/** A farm as `GET /farms` shows it: when it was created, and what its object reported last. */
export const fleetEntry = v.object({
  farm: v.string(),
  createdAt: timestamp,
  /** False for a farm that is offline or has never reported. */
  linked: v.boolean(),
  lastSeen: v.exactOptional(timestamp),
  players: v.exactOptional(v.number()),
  version: v.exactOptional(v.string()),
})
export type FleetEntry = v.InferOutput<typeof fleetEntry>

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
}

export const noSuchFarm = (farm: string) =>
  new Problem('not_found', `There is no farm ${farm}`, { path: `/farms/${farm}` })
