import { createHash, timingSafeEqual } from 'node:crypto'
import { BlockList } from 'node:net'
import { ipAddress } from '../../lib/caller-address.ts'
import { cannotBeRebound } from '../../lib/host-name.ts'
import { isTicketKey } from '../config-variables.ts'
import { segments } from './path.ts'
import { routes } from './routes/all-routes.ts'
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
  /** First segment of the path, not decoded. */
  readonly firstSegment: string
  /** The `Origin` header, which browsers send. Pages in a browser may not call this service without the key. */
  readonly origin: string | undefined
  /** The `Host` header; HTTP/1.0 may have none. */
  readonly host: string | undefined
}

/** @param header returns a header by its lower-case name */
export const callerFrom = (
  address: string | undefined,
  pathname: string,
  header: (name: string) => string | undefined,
): Caller => ({
  address,
  authorization: header('authorization'),
  firstSegment: segments(pathname)[0] ?? '',
  origin: header('origin'),
  host: header('host'),
})

/**
 * Checks whether a caller is served. With a key, the request must contain it. Without one, the caller must be on
 * loopback or a private network and not a page in a browser: it sends no `Origin`, and its `Host` cannot be a name
 * that points to this machine by DNS rebinding, because browsers send no `Origin` with such a page's own requests.
 * @returns undefined when the caller is served, else the answer (401 or 403)
 */
export function accessProblem(caller: Caller, key: string | undefined): TicketAnswer | undefined {
  if (key === undefined) {
    const isPage = caller.origin !== undefined
    if (!isNear(caller.address) || isPage)
      return forbidden('only callers on loopback and private networks are served, and no pages in browsers')
    if (caller.host === undefined || cannotBeRebound(caller.host)) return undefined
    return forbidden('this host name is not served: use an address, localhost or a name without a dot')
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

/**
 * The address that a request counts for.
 * @param passedOn the client's address as the control API reports it. Counts only from a caller with the key, or from one
 * that would be served without a key: the shipped control API has none
 */
export function addressOf(caller: Caller, key: string | undefined, passedOn: string | undefined): string {
  const isTrusted = [key, undefined].some((one) => accessProblem(caller, one) === undefined)
  return (isTrusted ? ipAddress(passedOn ?? '') : undefined) ?? caller.address ?? ''
}

const forbidden = (rule: string) => problem(403, 'forbidden', `Without TICKET_KEY ${rule}`)

const firstSegments: ReadonlySet<string | undefined> = new Set(
  routes.flatMap(({ paths }) => paths.map((path) => path.split('/')[1])),
)

/** @returns whether a caller that is not served has sent a key, which is then a wrong one. */
export function hasWrongKey({ authorization, firstSegment }: Caller): boolean {
  return (
    bearer(authorization) !== undefined || (isTicketKey(firstSegment) && !firstSegments.has(firstSegment))
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
