/** The checks before every route: sizes, origin, key, rate limits (docs/api.md). */
import { isStranger, type KeyHolder, withoutKey } from '../../handlers/key-holder.ts'
import { Problem } from '../../handlers/problem.ts'
import { callerOf } from '../../lib/caller-address.ts'
import type { Clock } from '../../lib/clock.ts'
import { bearerKey, type KeyCheck, sessionProof } from '../../lib/keys.ts'
import { onceAMinute } from '../../lib/once-a-minute.ts'
import { maxHeadBytes, maxUrlBytes } from '../../lib/request-size.ts'
import type { Caller } from './caller.ts'
import { type OriginRules, shownOrigin } from './cors.ts'
import type { Metrics } from './metrics.ts'
import { type AnonymousAllowance, isOverLink, type Limits } from './rate-limit.ts'
import { cookiesOf, isOfPage, type Page, pageSecret } from './session-cookies.ts'
import { targetLength } from './target.ts'
import { keyNotAccepted, noKeyFound } from './unauthorized.ts'

export interface GateOptions extends Pick<Clock, 'monotonic'> {
  readonly keys: KeyCheck
  readonly limits: Limits
  readonly origins: OriginRules
  readonly page: Page
  readonly metrics: Pick<Metrics, 'rateLimited' | 'failedKeys'>
  readonly notices: {
    /** Called for each wrong key of an address that has sent too many. */
    throttled(address: string): void
    /** Called for each write of a key that has sent too many. */
    limited(holder: KeyHolder, address: string): void
  }
  readonly log: { warn(fields: object, message: string): void }
}

export type Gate = ReturnType<typeof createGate>

/**
 * The limits of every server.
 * @param target bytes of path and query
 * @returns undefined for a request within them
 */
export function sizeProblem(target: number, headBytes: number): Problem | undefined {
  if (target > maxUrlBytes) return new Problem('uri_too_long', `The URL is longer than ${maxUrlBytes} bytes`)
  return headBytes > maxHeadBytes
    ? new Problem('headers_too_large', `Request line and headers are larger than ${maxHeadBytes} bytes`)
    : undefined
}

/** @param origin safe to show */
export const originProblem = (origin: string): Problem =>
  new Problem(
    'origin_not_allowed',
    `Pages of ${origin} may not use this API: its operator can list that origin in ALLOWED_ORIGINS`,
  )

const tooMany = (retryAfter: number, sentence: string) =>
  new Problem('rate_limited', sentence, { retryAfter })

export function createGate({ keys, limits, origins, page, metrics, log, monotonic, notices }: GateOptions) {
  const logOrigin = onceAMinute(
    (origin: string) =>
      log.warn({ origin }, 'refused a page of this origin: list it in ALLOWED_ORIGINS to allow it'),
    monotonic,
  )
  const refuseOrigin = (origin: string): Problem => {
    const named = shownOrigin(origin)
    logOrigin(named)
    return originProblem(named)
  }

  const isOfForeignPage = (caller: Caller): boolean => {
    const origin = caller.header('origin')
    // Behind a proxy that changes `Host`, the page's own origin is that of PUBLIC_URL.
    return origin !== undefined && !isOfPage(caller, page) && origins.isForeign(origin, caller.header('host'))
  }

  /** @returns the seconds to wait after too many wrong keys of the address, else 0 */
  const countWrongKey = (address: string): number => {
    metrics.failedKeys.inc()
    const caller = callerOf(address)
    const wait = limits.failedKeys.take(caller)
    if (wait > 0) {
      limits.refusals.take(caller)
      notices.throttled(address)
    }
    return wait
  }

  const tooManyWrongKeys = (wait: number): Problem => {
    metrics.rateLimited.inc({ limit: 'failed_keys' })
    return tooMany(wait, `Too many wrong keys; try again in ${wait} s`)
  }

  const tooManyRequests = (limit: 'reads' | 'writes' | AnonymousAllowance, wait: number): Problem => {
    metrics.rateLimited.inc({ limit })
    return tooMany(wait, `Too many requests; try again in ${wait} s`)
  }

  const refusal = (wait: number): Problem => (wait === 0 ? keyNotAccepted() : tooManyWrongKeys(wait))

  /** Counts a request without the right key. @returns the problem when the address has used the allowance */
  const countAnonymous = (address: string, allowance: AnonymousAllowance): Problem | undefined => {
    const caller = callerOf(address)
    const ofAddress = limits[allowance].take(caller)
    const together = isOverLink(allowance) ? limits.together[allowance] : undefined
    const isShared = ofAddress === 0 && together !== undefined && together.first.take(caller) > 0
    const wait = isShared ? together.all.take('all') : ofAddress
    if (wait === 0) return undefined
    limits.refusals.take(caller)
    return tooManyRequests(allowance, wait)
  }

  /** A request that is refused with any key counts as one without a key. */
  const refused = (address: string, problem: Problem): Problem =>
    countAnonymous(address, 'anonymous') ?? problem

  const count = (holder: KeyHolder, effect: 'read' | 'write', address: string): void => {
    const limit = effect === 'read' ? 'reads' : 'writes'
    const wait = limits[limit].take(holder.id)
    if (wait === 0) return
    if (effect === 'write') notices.limited(holder, address)
    throw tooManyRequests(limit, wait)
  }

  /** The values of cookies with a session. A key in the same request counts instead. */
  const sessionCookies = (caller: Pick<Caller, 'header' | 'origin'>): readonly string[] =>
    /^\s*bearer\b/i.test(caller.header('authorization') ?? '')
      ? []
      : cookiesOf('session', caller, page).flat()

  const checkPage = (caller: Caller): void => {
    if (sessionCookies(caller).length === 0 || isOfPage(caller, page)) return
    const origin = caller.header('origin')
    throw refused(
      caller.address,
      origin === undefined
        ? new Problem('origin_not_allowed', 'A session may change something only from the page of this farm')
        : refuseOrigin(origin),
    )
  }

  /** The holder of the session whose cookie was sent together with the secret of the page's origin. */
  const sessionOf = (caller: Pick<Caller, 'header' | 'origin'>): KeyHolder | undefined => {
    const secret = pageSecret(caller)
    if (secret === undefined) return undefined
    for (const cookie of sessionCookies(caller)) {
      const holder = keys.session(sessionProof(cookie, secret))
      if (holder !== undefined) return holder
    }
    return undefined
  }

  return {
    /** Counts one request of a holder. @throws {Problem} rate_limited */
    count,
    /** @throws {Problem} origin_not_allowed for the cookie of a session in a request that the farm's own page has not sent */
    checkPage,

    /** @throws {Problem} uri_too_long, headers_too_large; rate_limited after too many */
    checkSize(url: string, { headBytes, address }: Caller) {
      const problem = sizeProblem(targetLength(url), headBytes)
      if (problem !== undefined) throw refused(address, problem)
    },

    /** @throws {Problem} origin_not_allowed for a page of a foreign origin; rate_limited after too many */
    checkOrigin(caller: Caller) {
      const origin = caller.header('origin')
      if (origin !== undefined && isOfForeignPage(caller)) throw refused(caller.address, refuseOrigin(origin))
    },

    /**
     * Checks the key, or without one the session, and counts the request.
     * @param allowance what it counts against without a key
     * @returns the holder of the sent key, or, without a key set, everyone except pages of other origins
     * @throws {Problem} unauthorized, rate_limited; origin_not_allowed for a change with the cookie of a session from another
     * page than the farm's own, and for a `Host` that may be rebound when no key is set
     */
    admit(
      caller: Caller,
      access: 'public' | 'key',
      effect: 'read' | 'write',
      allowance: AnonymousAllowance = 'anonymous',
    ) {
      const shown = caller.manyKeys ? undefined : bearerKey(caller.header('authorization'))
      if (keys.required && shown !== undefined) {
        const holder = keys.verify(shown)
        if (holder !== undefined) {
          caller.hasKey?.(holder)
          count(holder, effect, caller.address)
          return holder
        }
        const wait = countWrongKey(caller.address)
        if (access === 'key') throw refusal(wait)
      }
      if (effect === 'write') checkPage(caller)
      const session = sessionOf(caller)
      if (session !== undefined) {
        if (isStranger(session)) {
          // Each sign-in makes another session, so the allowance of the session would limit none.
          const spent = isOverLink(allowance) ? countAnonymous(caller.address, allowance) : undefined
          if (spent !== undefined) throw spent
        } else caller.hasKey?.(session)
        count(session, effect, caller.address)
        return session
      }
      const spent = countAnonymous(caller.address, allowance)
      if (spent !== undefined) throw spent
      if (keys.required) {
        if (access === 'key') throw noKeyFound(caller.header('authorization'))
        return undefined
      }
      const host = caller.header('host')
      if (!origins.mayBeRebound(host)) return isOfForeignPage(caller) ? undefined : withoutKey
      if (access === 'key') throw refuseOrigin(`http://${host}`)
      return undefined
    },

    /** Counts a wrong key. @returns the problem to refuse it with: unauthorized, or rate_limited after too many */
    wrongKey: (address: string): Problem => refusal(countWrongKey(address)),
    /** Counts a request that the router cannot judge. @returns the problem, or rate_limited after too many */
    malformed: refused,

    /** Judges a key sent on `/ws`; wrong ones count. */
    verify(token: string, address: string): KeyHolder | 'wrong' | 'limited' {
      return keys.verify(token) ?? (countWrongKey(address) === 0 ? 'wrong' : 'limited')
    },

    /** See `KeyCheck`. */
    current: keys.current,

    /** Whether the address continues although very many of its requests were refused with 429. */
    isFarOver: (address: string): boolean => limits.refusals.waitOf(callerOf(address)) > 0,

    /**
     * The refusal of a request whose address has used its allowance. Counts it only then.
     * @param request its headers and address
     * @returns undefined for a request that the router must judge
     */
    refusalOfSpent(request: Pick<Caller, 'header' | 'origin' | 'address'>, allowance: AnonymousAllowance) {
      const caller = callerOf(request.address)
      const shown = keys.required ? bearerKey(request.header('authorization')) : undefined
      if (shown === undefined) {
        if (sessionOf(request) !== undefined) return undefined
        const wait = limits[allowance].waitOf(caller)
        return wait === 0 ? undefined : tooManyRequests(allowance, wait)
      }
      const wait = keys.verify(shown) !== undefined ? 0 : limits.failedKeys.waitOf(caller)
      return wait === 0 ? undefined : tooManyWrongKeys(wait)
    },
  }
}
