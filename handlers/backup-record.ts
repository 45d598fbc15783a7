/** Backups of the farm's save, as `/backups` shows them (docs/backups.md). */
import * as v from 'valibot'
import { described, docs } from './described.ts'
import { timestamp } from './game-records.ts'

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))

/** A day of the game's calendar. The day of a save is the one on which it continues. */
export const gameDay = v.object({
  season: v.picklist(['spring', 'summer', 'fall', 'winter']),
  day: described(docs('1 to 28.'), v.pipe(count, v.minValue(1), v.maxValue(28))),
  year: v.pipe(count, v.minValue(1)),
})
export type GameDay = Readonly<v.InferOutput<typeof gameDay>>

const seasons: readonly string[] = gameDay.entries.season.options
const daysOfSeason = 28
/** Days since the beginning of the game's calendar. */
export const dayNumber = ({
  year,
  season,
  day,
}: Pick<GameDay, 'day' | 'year'> & { season: string }): number =>
  ((year - 1) * seasons.length + seasons.indexOf(season)) * daysOfSeason + day

export const backupReason = described(
  docs('`manual`: made by hand.'),
  v.picklist(['day', 'manual', 'before_restore']),
)
export type BackupReason = v.InferOutput<typeof backupReason>

export const offsite = v.picklist(['none', 'pending', 'done', 'failed'])

export const backupRecord = described(
  docs("A backup of the farm's save."),
  v.object({
    id: v.string(),
    madeAt: timestamp,
    reason: backupReason,
    save: described(docs('The name of its save, which ends with the number of the farm.'), v.string()),
    farmName: v.string(),
    ...gameDay.entries,
    bytes: described(docs('Of the archive.'), count),
    verifiedAt: v.optional(described(docs('When the archive was read back and found whole.'), timestamp)),
    offsite: described(docs('The off-site copy: `none` where no off-site storage is set.'), offsite),
  }),
)
export type BackupRecord = Readonly<v.InferOutput<typeof backupRecord>>

export const madeBackup = v.object({
  ...backupRecord.entries,
  created: described(
    docs('False: a verified backup of the same save existed already, and this is it.'),
    v.boolean(),
  ),
})
export type MadeBackup = Readonly<v.InferOutput<typeof madeBackup>>

/** Maximum of bytes that one call reads of an archive. */
export const maxPiece = 192 * 1024

export interface BackupPiece {
  /** Of the whole archive. */
  readonly bytes: number
  readonly piece: Uint8Array
}
