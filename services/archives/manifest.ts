/** The description of an archive: the file `farmgate-backup.json` in it. */
import * as v from 'valibot'
import { backupReason, gameDay } from '../../handlers/backup-record.ts'
import { timestamp } from '../../handlers/game-records.ts'
import { timeOf } from '../../handlers/iso-time.ts'
import { listOf } from '../../lib/foreign/read.ts'
import { archiveLimits } from './allowed-entries.ts'

/** At the top of the archive, next to the folder of the save. */
export const manifestName = 'farmgate-backup.json'

/** Larger than every manifest of a real save. */
export const maxManifestBytes = 8 * 1024 * 1024

const size = v.pipe(v.number(), v.safeInteger(), v.minValue(0))

/** The name of a save's folder: one part of a path, which does not begin with a dot. */
export const saveFolder = v.pipe(v.string(), v.regex(/^[^./\\][^/\\]*$/))

/** The file of a save that is its farmer. */
export const infoFile = 'SaveGameInfo'

const archivedFile = v.object({
  /** Within the folder of the save, with `/`. */
  path: v.pipe(v.string(), v.minLength(1)),
  bytes: size,
  /** Hexadecimal. */
  sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
})
export type ArchivedFile = Readonly<v.InferOutput<typeof archivedFile>>

/** The names in a save are shorter. */
const text = v.pipe(v.string(), v.maxLength(500))

export const manifest = v.object({
  format: v.literal(1),
  /** A date that no calendar has would stop the rule of which backups are kept. */
  madeAt: v.pipe(
    timestamp,
    v.check((text) => timeOf(text) !== undefined),
  ),
  /** Where it is not `madeAt`: the place of the backup in the order of making, see `making-order.ts`. */
  order: v.exactOptional(size),
  reason: backupReason,
  /** The name of the save's folder. */
  save: saveFolder,
  farmName: text,
  ...gameDay.entries,
  gameVersion: text,
  /** Names of the host and the farmhands. */
  people: listOf(text, 1000),
  /** The save was incomplete: it was copied as it was, before another one replaced it. */
  torn: v.exactOptional(v.literal(true)),
  files: listOf(archivedFile, archiveLimits.files),
})
export type Manifest = Readonly<v.InferOutput<typeof manifest>>
