/** A backup as farmgate keeps it in its index. */
import * as v from 'valibot'
import { backupRecord, offsite } from '../../handlers/backup-record.ts'
import { type Manifest, manifest } from '../archives/manifest.ts'
import { contentDigest } from './content.ts'

const { files: _files, format: _format, ...said } = manifest.entries

export const keptBackup = v.object({
  ...said,
  id: backupRecord.entries.id,
  bytes: backupRecord.entries.bytes,
  verifiedAt: backupRecord.entries.verifiedAt,
  offsite,
  /** The digest of the save's own two files; empty where it is unknown. */
  content: v.string(),
  /** The name of its archive without `.zip`, where it is not the id: one archive of SMAPI has several saves. */
  archive: v.exactOptional(v.string()),
  /** The last read found it damaged. */
  damaged: v.exactOptional(v.literal(true)),
  /** Another program made its archive. */
  foreign: v.exactOptional(v.literal(true)),
})
export type KeptBackup = Readonly<v.InferOutput<typeof keptBackup>>

/** @param bytes of the archive */
export function keptOf(id: string, bytes: number, { files, format: _, ...said }: Manifest): KeptBackup {
  return { ...said, id, bytes, offsite: 'none', content: contentDigest(said.save, files) }
}
