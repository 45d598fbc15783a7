import { untilAborted } from './time-limit.ts'

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
  let size = 0
  const parts: Uint8Array[] = []
  for (;;) {
    const part = await untilAborted(reader.read(), over).catch(() => undefined)
    if (part === undefined) return { fault: 'broken_off' }
    if (part.done) return { bytes: joined(parts, size) }
    size += part.value.byteLength
    if (size > maxBytes) {
      await reader.cancel()
      return { fault: 'too_large' }
    }
    parts.push(part.value)
  }
}

function joined(parts: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size)
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.byteLength
  }
  return bytes
}
