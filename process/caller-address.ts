/** What counts as one caller: an IPv4 address, or the /64 that one IPv6 customer holds. */
export function callerOf(address: string): string {
  const mapped = /^::ffff:([0-9.]+)$/i.exec(address)?.[1]
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address
  const [head = '', tail] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  if (tail !== undefined) {
    const last = tail === '' ? [] : tail.split(':')
    while (groups.length + last.length < 8) groups.push('0')
    groups.push(...last)
  }
  return `${groups.slice(0, 4).join(':')}::/64`
}
