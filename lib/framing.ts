import type { IncomingMessage } from 'node:http'

/**
 * What is wrong with the Host, the version or the transfer coding of a request that Node's parser accepts. It serves
 * `HTTP/2.0` in the form of HTTP/1.1, and where `chunked` is not the last coding it takes all following bytes as body.
 * Servers must refuse both, because a proxy in front may read them in another way (RFC 9112 sections 2.3, 6.1 and
 * 6.3).
 * @returns undefined when all are right
 */
export function framingFault(incoming: IncomingMessage): string | undefined {
  if (!hasOneHost(incoming)) return 'HTTP/1.1 needs a Host header, and only one'
  const { headers, httpVersionMajor, httpVersionMinor } = incoming
  if (httpVersionMajor !== 1) return 'Only HTTP/1.0 and HTTP/1.1 are spoken here'
  const coding = headers['transfer-encoding']
  if (coding === undefined) return undefined
  if (httpVersionMinor === 0) return 'HTTP/1.0 has no transfer codings'
  return /(^|,)[ \t]*chunked[ \t]*$/i.test(coding) ? undefined : 'The last transfer coding must be chunked'
}

/**
 * What is wrong with the target or the Host of a WebSocket handshake.
 * @returns undefined when both are right
 */
export function handshakeFault(incoming: IncomingMessage): string | undefined {
  const { url = '', headers } = incoming
  if (!/^\/(?![/\\])[^\\#\s]*$/.test(url) || !URL.canParse(`http://localhost${url}`))
    return 'The request target is not a path'
  if (headers.host === undefined || !hasOneHost(incoming))
    return 'A handshake needs a Host header, and only one'
  return URL.canParse(`http://${headers.host}`) ? undefined : 'The Host header is not the name of a host'
}

/** Whether the key and the version of a handshake are those of a WebSocket. */
export const hasSocketKey = ({ headers }: IncomingMessage): boolean =>
  /^[+/0-9A-Za-z]{22}==$/.test(headers['sec-websocket-key'] ?? '') &&
  ['13', '8'].includes(headers['sec-websocket-version'] ?? '')

/** HTTP/1.0 may have no Host; 1.1 must have one; several are refused even if they are equal (RFC 9112 section 3.2). */
function hasOneHost({ headers, rawHeaders, httpVersionMinor }: IncomingMessage): boolean {
  if (headers.host === undefined) return httpVersionMinor === 0
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  return hosts === 1
}

/** A lower-case name, an IPv4 address or an IPv6 address as `URL` writes it: no change is needed. */
const isUsual = /^[a-z0-9.-]+(?::[0-9]+)?$/

/**
 * Writes the Host as `URL` does: `LOCALHOST` in lower case, `[::ffff:127.0.0.1]` as `[::ffff:7f00:1]`. The HTTP
 * adapter compares the two letter by letter and would refuse the request. It also refuses an invalid host.
 */
export function normaliseHost({ headers }: IncomingMessage): void {
  const { host } = headers
  if (host === undefined || isUsual.test(host)) return
  const url = URL.parse(`http://${host}`)
  if (url?.href === `http://${url?.host}/` && !/[/\\?#@]/.test(host)) headers.host = url.host
}
