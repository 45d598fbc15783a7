import { untilAborted } from '../time-limit.ts'
import { collected } from './collected.ts'

type Fault = 'too_large' | 'broken_off'

/** The text of a body, or why it is missing. */
export type BodyText = { readonly text: string } | { readonly fault: Fault }

/** The bytes of a body, or why they are missing. */
export type BodyBytes = { readonly bytes: Uint8Array<ArrayBuffer> } | { readonly fault: Fault }

/**
 * Reads a body as UTF-8, whatever its content type.
 * @param maxBytes the rest of a larger one is not read
 * @param over aborted when no more of it comes; missing where the runtime does not report this
 */
export async function bodyText(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
  over?: AbortSignal,
): Promise<BodyText> {
  const read = await bodyBytes(body, maxBytes, over)
  return 'fault' in read ? read : { text: new TextDecoder().decode(read.bytes) }
}

/** Reads a body as `bodyText` does, without decoding it. */
export async function bodyBytes(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
  over?: AbortSignal,
): Promise<BodyBytes> {
  if (body === null) return { bytes: new Uint8Array() }
  const reader = body.getReader()
  const read = collected(maxBytes)
  for (;;) {
    const part = await untilAborted(reader.read(), over).catch(() => undefined)
    if (part === undefined) return { fault: 'broken_off' }
    if (part.done) return { bytes: read.whole() }
    if (read.add(part.value)) continue
    await reader.cancel()
    return { fault: 'too_large' }
  }
}
