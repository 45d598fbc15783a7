/** The Host header of a request, which says whose origin is the API's own. */
import type { IncomingMessage } from 'node:http'

/** HTTP/1.0 may have no Host; 1.1 must have one; more than one is refused whatever they say (RFC 9112 section 3.2). */
export function hasOneHost({ headers, rawHeaders, httpVersionMinor }: IncomingMessage): boolean {
  if (headers.host === undefined) return httpVersionMinor === 0
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  return hosts === 1
}

/** A name in small letters, an IPv4 address or an IPv6 address as `URL` writes it: nothing to do. */
const isUsual = /^[a-z0-9.-]+(?::[0-9]+)?$/

/**
 * Writes the Host as `URL` does: `LOCALHOST` small, `[::ffff:127.0.0.1]` as `[::ffff:7f00:1]`. The HTTP adapter
 * compares the two letter by letter and would refuse the request. What is no host is left for it to refuse.
 */
export function normaliseHost({ headers }: IncomingMessage): void {
  const { host } = headers
  if (host === undefined || isUsual.test(host)) return
  const url = URL.parse(`http://${host}`)
  if (url?.href === `http://${url?.host}/` && !/[/\\?#@]/.test(host)) headers.host = url.host
}
