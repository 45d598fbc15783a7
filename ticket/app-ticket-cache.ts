import type { Clock } from '../lib/clock.ts'
import { PlatformError } from './errors.ts'
import type { AppTicket, PlatformPort } from './platform-port.ts'
import { waitForSession } from './wait-for-session.ts'

/** A ticket, and whether it came from Steam just now or from memory. */
interface IssuedTicket extends AppTicket {
  readonly source: 'fresh' | 'cached'
}

interface TicketRequest {
  /** Milliseconds to wait for a logon in progress. */
  readonly loginWait?: number
  /** For callers without a key: for 10 s after a failure they get that failure, and Steam is not asked. */
  readonly sparing?: boolean
}

export type AppTicketCache = ReturnType<typeof appTicketCache>

/** Milliseconds for which a ticket is reused. */
const reuseFor = 600_000
/** Milliseconds that a request waits for a logon in progress. */
const defaultLoginWait = 25_000
/** Milliseconds without a request to Steam after it answered with a rate limit. */
const rateLimitPause = 60_000
/** Milliseconds for which a `sparing` caller gets the previous failure again. */
const failureReuse = 10_000

/**
 * Gives out app tickets. Concurrent callers share one request to Steam. A ticket is reused for ten minutes, in memory
 * only, and dropped when another account logs on.
 */
export function appTicketCache(platform: PlatformPort, clock: Clock) {
  let kept: { ticket: AppTicket; until: number } | undefined
  let pending: Promise<AppTicket> | undefined
  let failed: { error: unknown; rateLimited: boolean; at: number } | undefined
  let requests = 0

  async function fetchTicket(): Promise<AppTicket> {
    requests += 1
    try {
      const ticket = await platform.requestTicket()
      kept = { ticket, until: clock.monotonic() + reuseFor }
      failed = undefined
      return ticket
    } catch (error) {
      const rateLimited = error instanceof PlatformError && error.kind === 'rate_limited'
      failed = { error, rateLimited, at: clock.monotonic() }
      throw error
    } finally {
      pending = undefined
    }
  }

  /** A ticket stays valid after a lost session, but not after a change of account. */
  function cached(): AppTicket | undefined {
    const { steamId } = platform.state()
    if (kept && steamId !== undefined && steamId !== kept.ticket.steamId) kept = undefined
    return kept && clock.monotonic() < kept.until ? kept.ticket : undefined
  }

  return {
    /** Number of requests to Steam since start. */
    requestCount: () => requests,
    /** @throws PlatformError */
    async ticket({ loginWait = defaultLoginWait, sparing }: TicketRequest = {}): Promise<IssuedTicket> {
      const known = cached()
      if (known) return { ...known, source: 'cached' }
      if (!(await waitForSession(platform, loginWait, clock))) throw new PlatformError('not_logged_in')
      const meanwhile = cached()
      if (meanwhile) return { ...meanwhile, source: 'cached' }
      const pause = failed?.rateLimited ? rateLimitPause : sparing ? failureReuse : 0
      if (failed && clock.monotonic() < failed.at + pause) throw failed.error
      pending ??= fetchTicket()
      return { ...(await pending), source: 'fresh' }
    },
  }
}
