import { Problem } from '../../handlers/problem.ts'

/**
 * Reads a body as UTF-8 text, whatever its content type says.
 * @throws {Problem} payload_too_large beyond `maxBytes`; the rest is not read
 */
export async function readBody(request: Request, maxBytes: number): Promise<string> {
  if (request.body === null) return ''
  const decoder = new TextDecoder()
  const reader = request.body.getReader()
  let bytes = 0
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value.byteLength
    if (bytes > maxBytes) {
      await reader.cancel()
      throw new Problem('payload_too_large', `The body is larger than ${maxBytes} bytes`)
    }
    text += decoder.decode(value, { stream: true })
  }
}
