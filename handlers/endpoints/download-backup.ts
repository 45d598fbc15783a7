import { type BackupPiece, maxPiece } from '../backup-record.ts'
import type { Backups } from '../backups.ts'
import { type RangeHeaders, streamEndpoint } from '../endpoint.ts'
import { Problem } from '../problem.ts'
import { Stream } from '../stream.ts'
import { backupId } from './delete-backup.ts'

/** The first byte and the one after the last. */
interface Span {
  readonly from: number
  readonly end: number
}

export const downloadBackup = streamEndpoint('GET /backups/download', {
  at: 'farm',
  scope: 'admin',
  tag: 'Backups',
  operationId: 'downloadBackup',
  summary: 'The archive of a backup, a zip; a `Range` header selects a part',
  parameters: backupId,
  stream: { type: 'application/zip', description: 'The archive', part: 'The requested range' },
  problems: ['backup_not_found', 'range_not_satisfiable', 'game_unavailable', 'disk_failed'],
  /** Reads the archive piece by piece while it is sent (RFC 9110 section 14). It ends early when the key does. */
  async handle({ query: { id }, range: { range, ifRange } = {}, isStillAllowed }, { backups }) {
    const { bytes } = await pieceOf(backups, id, 0, 0)
    // An archive is never changed, and no id is used twice.
    const etag = `"${id}"`
    const asked = ifRange === undefined || ifRange === etag ? spanOf(range, bytes) : undefined
    const { from, end } = asked ?? { from: 0, end: bytes }
    let at = from
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          if (!isStillAllowed()) throw new Error('the key has ended')
          const { piece } = await pieceOf(backups, id, at, Math.min(maxPiece, end - at))
          if (piece.length === 0) throw new Error('the archive is shorter than it was')
          at += piece.length
          controller.enqueue(piece)
          if (at >= end) controller.close()
        },
      },
      { highWaterMark: 0 },
    )
    return new Stream(body, 'application/zip', {
      status: asked === undefined ? 200 : 206,
      bytes: end - from,
      headers: {
        'Accept-Ranges': 'bytes',
        ETag: etag,
        'Content-Disposition': `attachment; filename="${id}.zip"`,
        ...(asked !== undefined && { 'Content-Range': `bytes ${from}-${end - 1}/${bytes}` }),
      },
    })
  },
})

/** @throws {Problem} backup_not_found @throws {FarmError} unavailable */
async function pieceOf(
  backups: Pick<Backups, 'readBackup'>,
  id: string,
  from: number,
  length: number,
): Promise<BackupPiece> {
  const piece = await backups.readBackup(id, from, length)
  if (piece === undefined) throw new Problem('backup_not_found', 'Backup not found')
  return piece
}

/**
 * @returns undefined where the whole is sent: no range, an unreadable one, or several
 * @throws {Problem} range_not_satisfiable
 */
function spanOf(range: RangeHeaders['range'], bytes: number): Span | undefined {
  const [, first = '', last = ''] = /^bytes=\s*([0-9]*)-([0-9]*)\s*$/i.exec(range ?? '') ?? []
  if (first === '' && last === '') return undefined
  const from = first === '' ? Math.max(0, bytes - Number(last)) : Number(first)
  const end = first === '' || last === '' ? bytes : Math.min(bytes, Number(last) + 1)
  if (first !== '' && last !== '' && Number(last) < from) return undefined
  if (from >= end)
    throw new Problem('range_not_satisfiable', `The archive has ${bytes} bytes; the range is beyond them`, {
      bytes,
    })
  return { from, end }
}
