import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Of IPv6, only this block is routed on the internet (RFC 4291 section 2.4 and IANA's registry of it). */
const globalUnicast = ipaddr.parseCIDR('2000::/3')

/**
 * Whether an IP address is one of the internet. Private, loopback, link-local, shared (CGNAT), multicast, reserved and
 * unspecified ones are not, nor are IPv6 addresses that carry an IPv4 address (mapped, NAT64, 6to4, Teredo).
 */
export function isPublicAddress(text: string): boolean {
  // The library also reads `127.1` and the like, which no resolver answers.
  if (isIP(text) === 0) return false
  const address = ipaddr.parse(text)
  if (address.range() !== 'unicast') return false
  return address.kind() === 'ipv4' || address.match(globalUnicast)
}
