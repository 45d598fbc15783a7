import { Problem } from '../../handlers/problem.ts'
import { bodyBytes, bodyText } from '../../lib/body-text.ts'
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

/** @param contentType the header @throws {Problem} unsupported_media_type unless it is `application/json` */
export function requireJson(contentType: string | undefined): void {
  if (contentType?.split(';')[0]?.trim().toLowerCase() !== json)
    throw new Problem('unsupported_media_type', `The body must be ${json}, and Content-Type must say so`)
}
