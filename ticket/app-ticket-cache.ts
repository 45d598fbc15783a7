import type { Clock } from './clock.ts'
import { PlatformError } from './errors.ts'
import type { AppTicket, PlatformPort } from './platform-port.ts'
import { waitForSession } from './wait-for-session.ts'

/** A ticket as it is handed out. */
interface IssuedTicket extends AppTicket {
  readonly source: 'fresh' | 'cached'
}

interface TicketRequest {
  /** Milliseconds to wait for a logon that is under way. */
  readonly loginWait?: number
  /** For callers without a key: shortly after a failure they are told it again, so that they cannot make us ask Steam in a loop. */
  readonly sparing?: boolean
}

export interface AppTicketCache {
  /** @throws PlatformError */
  ticket(request?: TicketRequest): Promise<IssuedTicket>
  /** How often Steam was asked. */
  requestCount(): number
}

/** A ticket is handed out again for this long. */
const reuseFor = 600_000
/** How long a request waits for a logon that is under way. */
const defaultLoginWait = 25_000
/** After Steam asked us to slow down, it is not asked again for this long. */
const rateLimitPause = 60_000
/** After any other failure, it is not asked again for this long for a caller that is sparing. */
const failureReuse = 10_000

/**
 * Hands out app tickets: one request to Steam at a time however many ask, each ticket for ten minutes and only
 * to the account it was made for. Kept in memory only.
 */
export function appTicketCache(platform: PlatformPort, clock: Clock): AppTicketCache {
  let kept: { ticket: AppTicket; until: number } | undefined
  let underWay: Promise<AppTicket> | undefined
  let failed: { error: unknown; rateLimited: boolean; at: number } | undefined
  let asked = 0

  async function fetchTicket(): Promise<AppTicket> {
    asked += 1
    try {
      const ticket = await platform.requestTicket()
      kept = { ticket, until: clock.now() + reuseFor }
      failed = undefined
      return ticket
    } catch (error) {
      const rateLimited = error instanceof PlatformError && error.kind === 'rate_limited'
      failed = { error, rateLimited, at: clock.now() }
      throw error
    } finally {
      underWay = undefined
    }
  }

  /** A ticket outlives a lost session, but not a change of account. */
  function cached(): AppTicket | undefined {
    const { steamId } = platform.state()
    if (kept && steamId !== undefined && steamId !== kept.ticket.steamId) kept = undefined
    return kept && clock.now() < kept.until ? kept.ticket : undefined
  }

  return {
    requestCount: () => asked,
    async ticket({ loginWait = defaultLoginWait, sparing = false } = {}) {
      const again = cached()
      if (again) return { ...again, source: 'cached' }
      if (!(await waitForSession(platform, loginWait, clock))) throw new PlatformError('not_logged_in')
      const meanwhile = cached()
      if (meanwhile) return { ...meanwhile, source: 'cached' }
      const rest = failed?.rateLimited ? rateLimitPause : sparing ? failureReuse : 0
      if (failed && clock.now() < failed.at + rest) throw failed.error
      underWay ??= fetchTicket()
      return { ...(await underWay), source: 'fresh' }
    },
  }
}
