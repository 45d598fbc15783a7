/** IP addresses as headers and sockets write them. */
import { isIP } from 'node:net'

/**
 * The address in a text such as `192.0.2.1`, `192.0.2.1:4711`, `2001:DB8::1`, `[2001:db8::1]:4711` or `fe80::1%eth0`.
 * @returns its one spelling: IPv6 as `URL` writes it, an IPv4 address within IPv6 as IPv4; undefined for any other
 * text. It is a copy: keeping a part of a header would keep the whole header in memory
 */
export function ipAddress(text: string): string | undefined {
  const host = withoutPort(text)
  const version = isIP(host)
  if (version === 0) return undefined
  if (version === 4) return host.split('.').join('.')
  const [address = ''] = host.split('%')
  const shown = URL.parse(`http://[${address}]`)?.hostname.slice(1, -1)
  return shown === undefined ? undefined : (mappedIPv4(shown) ?? shown)
}

function withoutPort(text: string): string {
  if (text.startsWith('[')) return /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1] ?? ''
  // More than one colon: an IPv6 address, which has a port only behind brackets.
  return text.indexOf(':') === text.lastIndexOf(':') ? text.replace(/:\d{1,5}$/, '') : text
}

/** `::ffff:c000:201` as `192.0.2.1`; undefined for an address without an IPv4 address in it. */
function mappedIPv4(address: string): string | undefined {
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(address) ?? []
  if (high === undefined || low === undefined) return undefined
  const bytes = [high, low].flatMap((group) => {
    const both = Number.parseInt(group, 16)
    return [both >> 8, both & 0xff]
  })
  return bytes.join('.')
}

/**
 * The address of a client behind trusted proxies.
 * @param proxies their number (`TRUST_PROXY`): the outermost of them saw the client
 * @param forwardedFor the header `X-Forwarded-For`
 * @returns the peer's own when the header names fewer, or no address there
 */
export function clientAddress(peer: string, proxies: number, forwardedFor: string | undefined): string {
  if (proxies === 0 || forwardedFor === undefined) return peer
  return ipAddress(forwardedFor.split(',').at(-proxies)?.trim() ?? '') ?? peer
}

/** What counts as one caller: an IPv4 address, or the /64 of one IPv6 customer. */
export function callerOf(address: string): string {
  const ip = ipAddress(address) ?? address
  if (!ip.includes(':')) return ip
  const [head = '', tail] = ip.split('::')
  const groups = head === '' ? [] : head.split(':')
  if (tail !== undefined) {
    const last = tail === '' ? [] : tail.split(':')
    while (groups.length + last.length < 8) groups.push('0')
    groups.push(...last)
  }
  return `${groups.slice(0, 4).join(':')}::/64`
}
