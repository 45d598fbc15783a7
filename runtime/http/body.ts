import { Problem } from '../../handlers/problem.ts'

/**
 * Reads a body as UTF-8 text, whatever its content type says.
 * @param over aborted when no more of it comes; missing where the runtime does not tell
 * @throws {Problem} payload_too_large beyond `maxBytes`, the rest is not read; malformed_request when it breaks off
 */
export async function readBody(request: Request, maxBytes: number, over?: AbortSignal): Promise<string> {
  if (request.body === null) return ''
  const decoder = new TextDecoder()
  const reader = request.body.getReader()
  const { promise: brokenOff, reject: breakOff } = Promise.withResolvers<never>()
  over?.addEventListener('abort', breakOff)
  if (over?.aborted) breakOff()
  const part = () =>
    Promise.race([reader.read(), brokenOff]).catch(() => {
      throw new Problem('malformed_request', 'The body broke off before its end')
    })
  try {
    let bytes = 0
    let text = ''
    for (;;) {
      const { done, value } = await part()
      if (done) return text + decoder.decode()
      bytes += value.byteLength
      if (bytes > maxBytes) {
        await reader.cancel()
        throw new Problem('payload_too_large', `The body is larger than ${maxBytes} bytes`)
      }
      text += decoder.decode(value, { stream: true })
    }
  } finally {
    over?.removeEventListener('abort', breakOff)
  }
}
