/** A stored file as an answer: the whole of it or one range, read piece by piece while it is sent (RFC 9110 section 14). */
import { maxPiece } from './backup-record.ts'
import type { RangeHeaders } from './endpoint.ts'
import { Problem } from './problem.ts'
import { type SentFile, Stream } from './stream.ts'

interface FileStreamOptions extends Partial<Pick<Stream, 'holder' | 'isGood'>> {
  /** For the client to store it. */
  readonly name: string
  /** Undefined for `HEAD`. */
  readonly range: RangeHeaders | undefined
}

/** @throws {Problem} range_not_satisfiable */
export async function fileStream(
  file: SentFile,
  { name, range, ...more }: FileStreamOptions,
): Promise<Stream> {
  const { bytes, tag } = file
  const close = async () => file.close?.()
  try {
    const etag = `"${tag}"`
    const { range: wanted, ifRange } = range ?? {}
    const asked = ifRange === undefined || ifRange === etag ? spanOf(wanted, bytes) : undefined
    const { from, end } = asked ?? { from: 0, end: bytes }
    let at = from
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          try {
            const piece = await file.read(at, Math.min(maxPiece, end - at))
            if (piece.length === 0) throw new Error('the archive is shorter than it was')
            at += piece.length
            controller.enqueue(piece)
            if (at < end) return
          } catch (error) {
            await close()
            throw error
          }
          await close()
          controller.close()
        },
        cancel: close,
      },
      { highWaterMark: 0 },
    )
    return new Stream(body, 'application/zip', {
      ...more,
      status: asked === undefined ? 200 : 206,
      bytes: end - from,
      headers: {
        'Accept-Ranges': 'bytes',
        ETag: etag,
        'Content-Disposition': `attachment; filename="${name}.zip"`,
        ...(asked !== undefined && { 'Content-Range': `bytes ${from}-${end - 1}/${bytes}` }),
      },
    })
  } catch (error) {
    await close()
    throw error
  }
}

/** The first byte and the one after the last. */
interface Span {
  readonly from: number
  readonly end: number
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
