import { callerOf } from '../../lib/caller-address.ts'
import type { Log } from '../../lib/log.ts'
import { onceAMinute } from '../../lib/once-a-minute.ts'
import { RateLimit } from '../../lib/rate-limit.ts'
import { accessProblem, type Caller, hasWrongKey } from './access.ts'
import { pathOf, segments } from './path.ts'
import { routes } from './routes/all-routes.ts'
import { rateLimited } from './routes/problems.ts'
import type { Route, TicketAnswer } from './routes/route.ts'

/** For each address in a minute, and for callers that are not served; callers that are served have no limit. */
const wrongKeysAMinute = 10
const requestsAMinute = 600

/** Decides who is served, and limits the others (docs/security.md). */
export type Gate = ReturnType<typeof ticketGate>

export interface GateOptions {
  /** TICKET_KEY. */
  readonly key: string | undefined
  readonly log: Pick<Log, 'warn'>
  /** Milliseconds of a clock that never runs backwards. */
  readonly monotonic: () => number
}

/**
 * Health checks are counted separately: otherwise other callers at their address could stop them. The set-up has
 * its own limit: the control API passes it on for anyone, and a right code is never refused for what others send.
 */
type Allowance = 'wrongKeys' | 'open' | 'refused'

export function ticketGate({ key, log, monotonic }: GateOptions) {
  const limits: Readonly<Record<Allowance, RateLimit>> = {
    wrongKeys: new RateLimit(wrongKeysAMinute, monotonic),
    open: new RateLimit(requestsAMinute, monotonic),
    refused: new RateLimit(requestsAMinute, monotonic),
  }
  const warn = onceAMinute((address: string, count) => {
    log.warn({ address, count }, 'A caller sends wrong keys')
  }, monotonic)

  /** @param wait asks one of the limits for the seconds to wait, and may count */
  const tooMany = (
    caller: Caller,
    open: Route['open'],
    wait: (limit: RateLimit, address: string) => number,
  ) => {
    const address = callerOf(caller.address ?? '')
    const isWrong = key !== undefined && hasWrongKey(caller)
    if (isWrong) warn(address)
    const allowances: readonly Allowance[] = [
      ...(isWrong ? (['wrongKeys'] as const) : []),
      ...(open === 'setup' ? [] : [open ? ('open' as const) : ('refused' as const)]),
    ]
    for (const allowance of allowances) {
      const seconds = wait(limits[allowance], address)
      if (seconds > 0) return rateLimited(allowance === 'wrongKeys' ? 'wrong keys' : 'requests', seconds)
    }
    return undefined
  }

  return {
    /**
     * Judges a request, and counts it if its caller is not served.
     * @param open whether its route answers other callers too
     * @returns `isServed`, or the answer that refuses it
     */
    judge(
      caller: Caller,
      open: Route['open'],
    ): { readonly isServed: boolean } | { readonly refusal: TicketAnswer } {
      const denied = accessProblem(caller, key)
      if (denied === undefined) return { isServed: true }
      const refusal =
        tooMany(caller, open, (limit, address) => limit.take(address)) ?? (open ? undefined : denied)
      return refusal === undefined ? { isServed: false } : { refusal }
    },
    /**
     * Counts a request that cannot be judged: it is not HTTP, has no Host …
     * @returns the answer, or 429 after too many
     */
    malformed(address: string | undefined, answer: TicketAnswer): TicketAnswer {
      const seconds = limits.refused.take(callerOf(address ?? ''))
      return seconds === 0 ? answer : rateLimited('requests', seconds)
    },
    /** Whether an address has used up one of its limits. */
    isSpent(address: string): boolean {
      const caller = callerOf(address)
      return Object.values(limits).some((limit) => limit.waitOf(caller) > 0)
    },
    /**
     * Judges the first request of a connection of such an address before the app, and counts nothing.
     * @returns 429, or undefined for a request that `judge` must judge
     */
    refusalOfSpent(caller: Caller, pathname: string): TicketAnswer | undefined {
      if (accessProblem(caller, key) === undefined) return undefined
      const open = openPaths.get(pathOf(segments(pathname)))
      return tooMany(caller, open, (limit, address) => limit.waitOf(address))
    },
  }
}

const openPaths: ReadonlyMap<string, Route['open']> = new Map(
  routes.flatMap(({ open, paths }) => paths.map((path) => [path, open] as const)),
)
