import type { Upload } from '../../handlers/endpoint.ts'
import { Problem } from '../../handlers/problem.ts'
import { bodyBytes, bodyText } from '../../lib/foreign/body-text.ts'
import { untilAborted, withTimeLimit } from '../../lib/time-limit.ts'
import { json } from './answer.ts'

/**
 * Reads a body as UTF-8 text, whatever its content type.
 * @param over aborted when no more of it comes; missing where the runtime does not report this
 * @throws {Problem} payload_too_large beyond `maxBytes`, the rest is not read; malformed_request when it ends early
 */
export async function readBody(request: Request, maxBytes: number, over?: AbortSignal): Promise<string> {
  const read = await bodyText(request.body, maxBytes, over)
  if ('text' in read) return read.text
  throw problemOfBody(read.fault, maxBytes)
}

/** Reads a body as `readBody` does, without decoding it. */
export async function readBytes(
  request: Request,
  maxBytes: number,
  over?: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const read = await bodyBytes(request.body, maxBytes, over)
  if ('bytes' in read) return read.bytes
  throw problemOfBody(read.fault, maxBytes)
}

const problemOfBody = (fault: 'too_large' | 'broken_off', maxBytes: number): Problem =>
  fault === 'too_large'
    ? new Problem('payload_too_large', `The body is larger than ${maxBytes} bytes`)
    : new Problem('malformed_request', 'The body ended early')

/** @param contentType the header @throws {Problem} unsupported_media_type unless it is of this type */
export function requireType(type: string, contentType: string | undefined): void {
  if (contentType?.split(';')[0]?.trim().toLowerCase() !== type)
    throw new Problem('unsupported_media_type', `The body must be ${type}, and Content-Type must say so`)
}

/** As `requireType`, for `application/json`. */
export const requireJson = (contentType: string | undefined): void => requireType(json, contentType)

/** Milliseconds without a byte after which an upload has ended early. */
const uploadStall = 30_000

/**
 * The pieces of an upload.
 * @param headers as they were sent @param over as of `readBody`
 * @throws {Problem} unsupported_media_type, payload_too_large by its headers
 * @returns pieces that throw {Problem} payload_too_large, or malformed_request when it ends early
 */
export function uploadPieces(
  { type, maxBytes }: Pick<Upload, 'type' | 'maxBytes'>,
  body: ReadableStream<Uint8Array> | null,
  {
    type: sent,
    length,
    over,
  }: { type: string | undefined; length: string | undefined; over?: AbortSignal | undefined },
): AsyncGenerator<Uint8Array, void> {
  requireType(type, sent)
  if (Number(length ?? 0) > maxBytes) throw problemOfBody('too_large', maxBytes)
  return readPieces(body, maxBytes, over)
}

/** As the pieces of `uploadPieces`. */
export async function* readPieces(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
  over?: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  if (body === null) return
  const reader = body.getReader()
  let left = maxBytes
  const late = () => new Error('late')
  try {
    for (;;) {
      const next = untilAborted(reader.read(), over)
      const { done, value } = await withTimeLimit(uploadStall, next, late).catch(() => {
        throw problemOfBody('broken_off', maxBytes)
      })
      if (done) return
      left -= value.byteLength
      if (left < 0) throw problemOfBody('too_large', maxBytes)
      yield value
    }
  } finally {
    reader.cancel().catch(() => undefined)
  }
}
