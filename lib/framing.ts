import type { IncomingMessage } from 'node:http'
import { hasOneHost } from './host-header.ts'

/**
 * What is wrong with the Host, the version or the transfer coding of a request that Node's parser accepts. It serves
 * `HTTP/2.0` in the form of HTTP/1.1, and where `chunked` is not the last coding it takes all bytes that follow as
 * body; servers have to refuse both, because a proxy in front may read them in another way (RFC 9112 sections 2.3, 6.1
 * and 6.3).
 * @returns undefined when nothing is
 */
export function framingFault(incoming: IncomingMessage): string | undefined {
  if (!hasOneHost(incoming)) return 'HTTP/1.1 needs a Host header, and only one'
  const { headers, httpVersionMajor, httpVersionMinor } = incoming
  if (httpVersionMajor !== 1) return 'Only HTTP/1.0 and HTTP/1.1 are spoken here'
  const coding = headers['transfer-encoding']
  if (coding === undefined) return undefined
  if (httpVersionMinor === 0) return 'HTTP/1.0 has no transfer codings'
  return /(^|,)[ \t]*chunked[ \t]*$/i.test(coding) ? undefined : 'The last transfer coding has to be chunked'
}
