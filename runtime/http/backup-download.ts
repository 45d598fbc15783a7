/** `GET /backups/download`: the archive of a backup or a range of it (RFC 9110 section 14), read in pieces while it is sent. */
import { type BackupPiece, maxPiece } from '../../handlers/backup-record.ts'
import type { Backups } from '../../handlers/backups.ts'
import { Problem } from '../../handlers/problem.ts'
import type { StreamAnswer } from './answer.ts'

interface Asked {
  readonly range?: string | undefined
  readonly ifRange?: string | undefined
}

/** The first byte and the one behind the last. */
interface Span {
  readonly from: number
  readonly end: number
}

/**
 * @param mayGoOn asked before each piece: a key can end while the archive is sent. The answer then breaks off
 * @throws {Problem} backup_not_found, range_not_satisfiable @throws {GameError} unavailable
 */
export async function backupDownload(
  backups: Pick<Backups, 'readBackup'>,
  id: string,
  { range, ifRange }: Asked,
  mayGoOn: () => boolean,
): Promise<StreamAnswer> {
  const read = async (from: number, length: number): Promise<BackupPiece> => {
    const piece = await backups.readBackup(id, from, length)
    if (piece === undefined) throw new Problem('backup_not_found', 'Backup not found')
    return piece
  }
  const { bytes } = await read(0, 0)
  // An archive is never changed, and no id is used twice.
  const etag = `"${id}"`
  const asked = ifRange === undefined || ifRange === etag ? spanOf(range, bytes) : undefined
  const { from, end } = asked ?? { from: 0, end: bytes }
  let at = from
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        if (!mayGoOn()) throw new Error('the key has ended')
        const piece = Uint8Array.from(
          Buffer.from((await read(at, Math.min(maxPiece, end - at))).base64, 'base64'),
        )
        if (piece.length === 0) throw new Error('the archive is shorter than it was')
        at += piece.length
        controller.enqueue(piece)
        if (at >= end) controller.close()
      },
    },
    { highWaterMark: 0 },
  )
  return {
    status: asked === undefined ? 200 : 206,
    type: 'application/zip',
    body,
    bytes: end - from,
    headers: {
      'Accept-Ranges': 'bytes',
      ETag: etag,
      'Content-Disposition': `attachment; filename="${id}.zip"`,
      ...(asked !== undefined && { 'Content-Range': `bytes ${from}-${end - 1}/${bytes}` }),
    },
  }
}

/**
 * @returns undefined where the whole is to be sent: no range, one that cannot be read, or several
 * @throws {Problem} range_not_satisfiable
 */
function spanOf(range: string | undefined, bytes: number): Span | undefined {
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
