import { type AddressLines, addressLines } from '../../lib/address-lines.ts'
import type { Log } from '../../lib/log.ts'

/**
 * Which refused requests are logged: one a minute and address. The number of others is logged when the minute is over.
 * @param now milliseconds of a clock that never runs backwards
 */
export const refusedRequests = (log: Log, now: () => number): AddressLines =>
  addressLines({
    now,
    leftOut: (address, requests) =>
      log.info({ address, requests }, 'more requests of this address were refused in the last minute'),
  })
