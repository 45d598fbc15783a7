import { type BackOff, backOff } from '../../lib/back-off.ts'
import { LogonError } from '../errors.ts'

/** Waits between logons, in milliseconds. */
export interface RetryDelays extends BackOff {
  readonly afterRateLimit: number
  /** How often a wait checks for a new saved session. */
  readonly lookForLogin: number
  /** A session that lasts less than this counts as one more failure in a row. */
  readonly stableAfter: number
}

/** 1 s to 5 min; 30 min after a rate limit. Losses count as failures in a row until a session has lasted 10 min. */
export const serveDelays: RetryDelays = {
  first: 1000,
  max: 300_000,
  afterRateLimit: 1_800_000,
  lookForLogin: 5000,
  stableAfter: 600_000,
}

/**
 * Milliseconds that the end of a process waits for a renewal of the token: Steam has answered one after 16.5 s. With
 * two seconds more it stays below `stop_grace_period` in compose.yaml and `TimeoutStopSec` in deploy/systemd.
 */
export const renewalGrace = 25_000

/** What to do after a failed logon or a lost session. */
interface Retry {
  /** A sentence for the log and for the state. */
  readonly reason: string
  /** Whether a person must sign in. The next attempt comes anyway: a refusal by Steam may be temporary. */
  readonly personNeeded: boolean
  /** Milliseconds until the next attempt. */
  readonly delay: number
}

/**
 * @param error why the logon failed or the session ended
 * @param failures in a row, 1 or more
 * @param lost whether there was a session; only a failed logon shows that a person is needed
 */
export function retryAfter(
  error: unknown,
  failures: number,
  lost: boolean,
  delays: RetryDelays,
  random: number,
): Retry {
  const kind = error instanceof LogonError ? error.kind : 'unreachable'
  const reason = error instanceof Error ? error.message : String(error)
  const personNeeded = !lost && (kind === 'rejected' || kind === 'person_needed')
  const long = personNeeded || kind === 'rate_limited'
  return { reason, personNeeded, delay: long ? delays.afterRateLimit : backOff(delays, failures, random) }
}
