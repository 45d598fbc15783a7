/**
 * The allowed addresses of a receiver: every address that its name resolves to is checked before a connection is
 * opened.
 */
import type { LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'

/** All addresses of a host name. @throws when it has none */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>

/** The receiver has no allowed address. */
export class RefusedAddress extends Error {
  override readonly name = 'RefusedAddress'
  constructor() {
    super('the receiver has no public address')
  }
}

export interface ReceiverAddress {
  /** Whether a host is refused whatever it resolves to: an IP address, or `localhost`. @param host as `hostOf` returns it */
  refuses(host: string): boolean
  /**
   * For `http.request`: the connection goes to the addresses that were checked here, even if the name resolves
   * differently a moment later.
   */
  readonly lookup: LookupFunction
}

/** The host of a URL; an IPv6 address without its brackets. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '')

/** @param privateHosts `WEBHOOK_PRIVATE_HOSTS`: names and addresses that may be private */
export function receiverAddress(resolve: Resolve, privateHosts: readonly string[]): ReceiverAddress {
  const allowed = new Set(privateHosts.map((host) => host.toLowerCase()))
  const mayBeAt = (host: string, address: string) =>
    allowed.has(host.toLowerCase()) || allowed.has(address) || isPublicAddress(address)
  return {
    refuses: (host) => knownAddresses(host)?.some((address) => mayBeAt(host, address)) === false,
    lookup(host, { all }, answer) {
      resolve(host).then(
        (found) => {
          const [first, ...rest] = found.filter(({ address }) => mayBeAt(host, address))
          if (first === undefined) answer(new RefusedAddress(), '', 0)
          else if (all === true) answer(null, [first, ...rest])
          else answer(null, first.address, first.family)
        },
        (error: NodeJS.ErrnoException) => answer(error, '', 0),
      )
    },
  }
}

/** The addresses of a host that needs no look-up: Node looks up no IP address, and `localhost` is this machine (RFC 6761). */
const knownAddresses = (host: string): readonly string[] | undefined =>
  isIP(host) !== 0 ? [host] : /^(.+\.)?localhost\.?$/i.test(host) ? ['127.0.0.1', '::1'] : undefined

/** Of IPv6, only this block is routed on the internet (RFC 4291 section 2.4 and IANA's registry of it). */
const globalUnicast = ipaddr.parseCIDR('2000::/3')

/**
 * Whether an IP address is public. Private, loopback, link-local, shared (CGNAT), multicast, reserved and unspecified
 * ones are not, nor are IPv6 addresses that carry an IPv4 address (mapped, NAT64, 6to4, Teredo).
 */
export function isPublicAddress(text: string): boolean {
  // The library also reads `127.1` and the like, which no resolver answers.
  if (isIP(text) === 0) return false
  const address = ipaddr.parse(text)
  if (address.range() !== 'unicast') return false
  return address.kind() === 'ipv4' || address.match(globalUnicast)
}
