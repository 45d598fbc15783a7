import { createHash, timingSafeEqual } from 'node:crypto'
import { BlockList } from 'node:net'
import { problem } from './routes/problems.ts'
import type { TicketAnswer } from './routes/route.ts'

/** Loopback and the private ranges of RFC 1918, RFC 3927, RFC 4193 and RFC 4291. */
const near = new BlockList()
near.addSubnet('127.0.0.0', 8)
near.addSubnet('10.0.0.0', 8)
near.addSubnet('172.16.0.0', 12)
near.addSubnet('192.168.0.0', 16)
near.addSubnet('169.254.0.0', 16)
near.addAddress('::1', 'ipv6')
near.addSubnet('fc00::', 7, 'ipv6')
near.addSubnet('fe80::', 10, 'ipv6')

/** What is known of a caller. */
export interface Caller {
  /** Address of the other end of the socket; undefined when it is already gone. */
  readonly address: string | undefined
  readonly authorization: string | undefined
  /** First segment of the path as it was sent. */
  readonly firstSegment: string
  /** The `Origin` header, which only browsers set: no page in a browser may call this service. */
  readonly origin: string | undefined
}

/** @returns the answer to a caller that may not come in, or undefined when it may. Without a key only near callers may. */
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

/** @returns whether an address is loopback or private, IPv4 inside IPv6 included. */
export function isNear(address: string | undefined): boolean {
  if (!address) return false
  const plain = address.replace(/^::ffff:(?=[0-9.]+$)/, '').replace(/%.*$/, '')
  return near.check(plain, plain.includes(':') ? 'ipv6' : 'ipv4')
}

/** @returns whether a text is the key, in a time that says nothing of where they differ. */
export function matches(text: string | undefined, key: string): boolean {
  return text !== undefined && timingSafeEqual(digest(text), digest(key))
}

function bearer(header: string | undefined): string | undefined {
  return /^bearer +(.+)$/i.exec(header?.trim() ?? '')?.[1]?.trim()
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
