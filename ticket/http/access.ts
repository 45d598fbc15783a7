import { createHash, timingSafeEqual } from 'node:crypto'
import { BlockList } from 'node:net'
import { problem } from './routes/problems.ts'
import type { TicketAnswer } from './routes/route.ts'

/** Loopback and the private ranges of RFC 1918, RFC 3927, RFC 4193 and RFC 4291. */
const localNetworks = new BlockList()
localNetworks.addSubnet('127.0.0.0', 8)
localNetworks.addSubnet('10.0.0.0', 8)
localNetworks.addSubnet('172.16.0.0', 12)
localNetworks.addSubnet('192.168.0.0', 16)
localNetworks.addSubnet('169.254.0.0', 16)
localNetworks.addAddress('::1', 'ipv6')
localNetworks.addSubnet('fc00::', 7, 'ipv6')
localNetworks.addSubnet('fe80::', 10, 'ipv6')

/** The parts of a request that decide whether it is served. */
export interface Caller {
  /** Remote address of the socket; undefined when the socket is closed already. */
  readonly address: string | undefined
  readonly authorization: string | undefined
  /** First segment of the path as it was sent. */
  readonly firstSegment: string
  /** The `Origin` header, which browsers send. Pages in a browser may not call this service without the key. */
  readonly origin: string | undefined
}

/**
 * Checks whether a caller is served. With a key, the request must contain it. Without one, the caller must be on loopback
 * or a private network and send no `Origin`.
 * @returns undefined when the caller is served, else the answer (401 or 403)
 */
export function accessProblem(caller: Caller, key: string | undefined): TicketAnswer | undefined {
  if (key === undefined) {
    if (isNear(caller.address) && caller.origin === undefined) return undefined
    return problem(
      403,
      'forbidden',
      'Without TICKET_KEY only callers on loopback and private networks are served',
    )
  }
  if (matches(caller.firstSegment, key) || matches(bearer(caller.authorization), key)) return undefined
  return problem(
    401,
    'unauthorized',
    'Send the key: Authorization: Bearer <TICKET_KEY>',
    {},
    { 'WWW-Authenticate': 'Bearer' },
  )
}

/** @returns whether an address is loopback or private; IPv4-mapped IPv6 addresses are read as IPv4. */
export function isNear(address: string | undefined): boolean {
  if (!address) return false
  const plain = address.replace(/^::ffff:(?=[0-9.]+$)/, '').replace(/%.*$/, '')
  return localNetworks.check(plain, plain.includes(':') ? 'ipv6' : 'ipv4')
}

/** @returns whether a text is the key, compared in constant time. */
export function matches(text: string | undefined, key: string): boolean {
  return text !== undefined && timingSafeEqual(digest(text), digest(key))
}

function bearer(header: string | undefined): string | undefined {
  return /^bearer +(.+)$/i.exec(header?.trim() ?? '')?.[1]?.trim()
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
