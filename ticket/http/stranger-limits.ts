import { callerOf } from '../../process/caller-address.ts'
import { onceAMinute } from '../../process/once-a-minute.ts'
import { RateLimit } from '../../process/rate-limit.ts'
import type { Log } from '../log.ts'
import { type Caller, hasWrongKey } from './access.ts'
import { problem } from './routes/problems.ts'
import type { TicketAnswer } from './routes/route.ts'

/** For each address in a minute. The two kinds of requests are counted apart, so that health checks stay answered. */
const wrongKeys = 10
const requests = 600

/** Limits on callers that are not served (docs/security.md); those that are served have none. */
export interface StrangerLimits {
  /**
   * Counts a request of a caller that is not served.
   * @param isOpen whether its route answers such callers too
   * @returns 429 when there were too many, else undefined
   */
  count(caller: Caller, isOpen: boolean): TicketAnswer | undefined
}

/** @param monotonic milliseconds that only ever grow */
export function strangerLimits(
  key: string | undefined,
  log: Pick<Log, 'warn'>,
  monotonic: () => number,
): StrangerLimits {
  const limits = {
    wrongKeys: new RateLimit(wrongKeys, monotonic),
    open: new RateLimit(requests, monotonic),
    refused: new RateLimit(requests, monotonic),
  }
  const warn = onceAMinute((address: string, count) => {
    log.warn('A caller sends wrong keys', { address, count })
  }, monotonic)
  return {
    count(caller, isOpen) {
      const address = callerOf(caller.address ?? '')
      if (key !== undefined && hasWrongKey(caller)) {
        warn(address)
        const wait = limits.wrongKeys.take(address)
        if (wait > 0) return tooMany('Too many wrong keys', wait)
      }
      const wait = limits[isOpen ? 'open' : 'refused'].take(address)
      return wait > 0 ? tooMany('Too many requests', wait) : undefined
    },
  }
}

/** The connection ends with this answer, so that each further attempt costs its caller a new one. */
const tooMany = (what: string, wait: number) =>
  problem(
    429,
    'rate_limited',
    `${what}; try again in ${wait} s`,
    {},
    { 'Retry-After': String(wait), Connection: 'close' },
  )
