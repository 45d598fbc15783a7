/** Responses as HTTP/1.1 bytes with `Connection: close`; end the socket after writing one. */
import { STATUS_CODES } from 'node:http'

export async function rawResponse(response: Response): Promise<Buffer> {
  return rawMessage(response.status, response.headers, Buffer.from(await response.arrayBuffer()))
}

export function rawMessage(
  status: number,
  headers: Iterable<[name: string, value: string]>,
  body: Buffer,
): Buffer {
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`]
  for (const [name, value] of headers)
    if (!/^(?:content-length|connection|date)$/i.test(name)) lines.push(`${name}: ${value}`)
  lines.push(
    `Content-Length: ${body.length}`,
    'Connection: close',
    `Date: ${new Date().toUTCString()}`,
    '',
    '',
  )
  return Buffer.concat([Buffer.from(lines.join('\r\n'), 'latin1'), body])
}
