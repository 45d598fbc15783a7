import { streamEndpoint } from '../endpoint.ts'
import { fileStream } from '../file-stream.ts'
import { Problem } from '../problem.ts'
import { backupId } from './delete-backup.ts'

export const downloadBackup = streamEndpoint('GET /backups/download', {
  at: 'farm',
  scope: 'admin',
  tag: 'Backups',
  operationId: 'downloadBackup',
  summary: 'The archive of a backup, a zip; a `Range` header selects a part',
  parameters: backupId,
  stream: { type: 'application/zip', description: 'The archive', part: 'The requested range' },
  problems: ['backup_not_found', 'range_not_satisfiable', 'game_unavailable', 'disk_failed'],
  async handle({ query: { id }, range }, { backups }) {
    /** @throws {Problem} backup_not_found @throws {FarmError} unavailable */
    const pieceOf = async (from: number, length: number) => {
      const piece = await backups.readBackup(id, from, length)
      if (piece === undefined) throw new Problem('backup_not_found', 'Backup not found')
      return piece
    }
    const { bytes } = await pieceOf(0, 0)
    const read = async (from: number, length: number) => (await pieceOf(from, length)).piece
    // An archive is never changed, and no id is used twice.
    return fileStream({ bytes, tag: id, read }, { name: id, range })
  },
})
