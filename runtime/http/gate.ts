/** The checks before every route: sizes, origin, key, rate limits (docs/http-api.md). */
import { Problem } from '../../handlers/problem.ts'
import type { Caller } from './caller.ts'
import { type OriginRules, shownOrigin } from './cors.ts'
import { bearerKey, type KeyCheck } from './keys.ts'
import type { Metrics } from './metrics.ts'
import { type AnonymousAllowance, callerOf, type Limits } from './rate-limit.ts'
import { targetLength } from './target.ts'

export interface GateOptions {
  readonly keys: KeyCheck
  readonly limits: Limits
  readonly origins: OriginRules
  readonly metrics: Pick<Metrics, 'rateLimited' | 'failedKeys'>
  readonly log: { warn(fields: object, message: string): void }
  /** Milliseconds since 1970. */
  readonly now: () => number
}

export interface Gate {
  /** @throws {Problem} uri_too_long, headers_too_large */
  checkSize(url: string, caller: Caller): void
  /** @throws {Problem} origin_not_allowed for a page of a foreign origin */
  checkOrigin(caller: Caller): void
  /**
   * Checks the key and counts the request.
   * @param allowance what it counts against without a key
   * @returns whether the caller may see what a key holder may
   * @throws {Problem} unauthorized, rate_limited
   */
  admit(
    caller: Caller,
    access: 'public' | 'key',
    effect: 'read' | 'write',
    allowance?: AnonymousAllowance,
  ): boolean
  /** Counts a wrong key. @returns the problem to refuse it with: unauthorized, or rate_limited after too many */
  wrongKey(address: string): Problem
  /** Judges a key shown on `/ws`; wrong ones count. */
  verify(token: string, address: string): 'right' | 'wrong' | 'limited'
}

/** Milliseconds between two log lines about refused origins, so that a page that asks often does not fill the log. */
const originLogInterval = 60_000
const maxUrlBytes = 4096
const maxHeadBytes = 16 * 1024

const tooMany = (retryAfter: number, sentence: string) =>
  new Problem('rate_limited', sentence, { retryAfter })

export function createGate({ keys, limits, origins, metrics, log, now }: GateOptions): Gate {
  let originLoggedAt = Number.NEGATIVE_INFINITY
  const refuseOrigin = (origin: string): Problem => {
    const named = shownOrigin(origin)
    if (now() - originLoggedAt >= originLogInterval) {
      originLoggedAt = now()
      log.warn({ origin: named }, 'refused a page of this origin: list it in ALLOWED_ORIGINS to allow it')
    }
    return new Problem(
      'origin_not_allowed',
      `Pages of ${named} may not use this API: its operator can list that origin in ALLOWED_ORIGINS`,
    )
  }

  /** @returns the seconds to wait after too many wrong keys of the address, else 0 */
  const countWrongKey = (address: string): number => {
    metrics.failedKeys.inc()
    return limits.failedKeys.take(callerOf(address))
  }

  const refusal = (wait: number): Problem => {
    if (wait === 0) return unauthorized()
    metrics.rateLimited.inc({ limit: 'failed_keys' })
    return tooMany(wait, `Too many wrong keys; try again in ${wait} s`)
  }

  const count = (limit: 'reads' | 'writes' | AnonymousAllowance, caller: string): void => {
    const wait = limits[limit].take(caller)
    if (wait === 0) return
    metrics.rateLimited.inc({ limit })
    throw tooMany(wait, `Too many requests; try again in ${wait} s`)
  }

  return {
    checkSize(url, { headBytes }) {
      if (targetLength(url) > maxUrlBytes)
        throw new Problem('uri_too_long', `The URL is longer than ${maxUrlBytes} bytes`)
      if (headBytes > maxHeadBytes)
        throw new Problem(
          'headers_too_large',
          `Request line and headers are larger than ${maxHeadBytes} bytes`,
        )
    },

    checkOrigin(caller) {
      const origin = caller.header('origin')
      if (origin !== undefined && origins.isForeign(origin, caller.header('host'))) throw refuseOrigin(origin)
    },

    admit(caller, access, effect, allowance = 'anonymous') {
      const shown = caller.manyKeys ? undefined : bearerKey(caller.header('authorization'))
      if (keys.required && shown !== undefined) {
        if (keys.verify(shown)) {
          caller.hasKey?.()
          count(effect === 'read' ? 'reads' : 'writes', 'key')
          return true
        }
        const wait = countWrongKey(caller.address)
        if (access === 'key') throw refusal(wait)
      }
      count(allowance, callerOf(caller.address))
      if (!keys.required) return true
      if (access === 'key') throw unauthorized()
      return false
    },

    wrongKey: (address) => refusal(countWrongKey(address)),

    verify(token, address) {
      if (keys.verify(token)) return 'right'
      return countWrongKey(address) === 0 ? 'wrong' : 'limited'
    },
  }
}

export const unauthorized = () =>
  new Problem('unauthorized', 'Unauthorized. Provide a valid Authorization header: Bearer <api-key>')
