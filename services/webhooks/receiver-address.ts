/** Where a receiver may be: every address that its name resolves to is checked before a connection is opened to it. */
import type { LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { isPublicAddress } from './public-address.ts'

/** All addresses of a host name. @throws when it has none */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>

/** The receiver's addresses are none that may be connected to. */
export class RefusedAddress extends Error {
  override readonly name = 'RefusedAddress'
  constructor() {
    super('the receiver has no public address')
  }
}

export interface ReceiverAddress {
  /** @param host of a URL; an IPv6 address without its brackets @throws RefusedAddress for a refused IP address */
  check(host: string): void
  /**
   * For `http.request`: the connection goes to the addresses that were checked here, whatever the name resolves to a
   * moment later.
   */
  readonly lookup: LookupFunction
}

/** @param privateHosts `WEBHOOK_PRIVATE_HOSTS`: names and addresses that may be private */
export function receiverAddress(resolve: Resolve, privateHosts: readonly string[]): ReceiverAddress {
  const allowed = new Set(privateHosts.map((host) => host.toLowerCase()))
  const mayBeAt = (host: string, address: string) =>
    allowed.has(host.toLowerCase()) || allowed.has(address) || isPublicAddress(address)
  return {
    check(host) {
      // Node looks up no IP address.
      if (isIP(host) !== 0 && !mayBeAt(host, host)) throw new RefusedAddress()
    },
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
