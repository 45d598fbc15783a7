/** The text of a body, or why it cannot be had. */
export type BodyText = { readonly text: string } | { readonly fault: 'too_large' | 'broken_off' }

/**
 * Reads a body as UTF-8, whatever its content type says.
 * @param maxBytes the rest of a larger one is not read
 * @param over aborted when no more of it comes; missing where the runtime does not tell
 */
export async function bodyText(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
  over?: AbortSignal,
): Promise<BodyText> {
  if (body === null) return { text: '' }
  const decoder = new TextDecoder()
  const reader = body.getReader()
  const { promise: brokenOff, reject: breakOff } = Promise.withResolvers<never>()
  over?.addEventListener('abort', breakOff)
  if (over?.aborted) breakOff()
  try {
    let bytes = 0
    let text = ''
    for (;;) {
      const part = await Promise.race([reader.read(), brokenOff]).catch(() => undefined)
      if (part === undefined) return { fault: 'broken_off' }
      if (part.done) return { text: text + decoder.decode() }
      bytes += part.value.byteLength
      if (bytes > maxBytes) {
        await reader.cancel()
        return { fault: 'too_large' }
      }
      text += decoder.decode(part.value, { stream: true })
    }
  } finally {
    over?.removeEventListener('abort', breakOff)
  }
}
