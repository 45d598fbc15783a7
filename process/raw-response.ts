import { STATUS_CODES } from 'node:http'

/** A response as HTTP/1.1 bytes with `Connection: close`, to be written to a socket that is then ended. */
export async function rawResponse(response: Response): Promise<Buffer> {
  const body = Buffer.from(await response.arrayBuffer())
  const headers = new Headers(response.headers)
  headers.set('Content-Length', String(body.length))
  headers.set('Connection', 'close')
  headers.set('Date', new Date().toUTCString())
  const lines = Array.from(headers, ([name, value]) => `${name}: ${value}`)
  const head = [`HTTP/1.1 ${response.status} ${STATUS_CODES[response.status] ?? ''}`, ...lines, '', ''].join(
    '\r\n',
  )
  return Buffer.concat([Buffer.from(head, 'latin1'), body])
}
