/**
 * Rate limits of one client of `/ws`, each a token bucket. The buckets are plain numbers, so that a socket's attachment
 * can store them.
 */
import { tokensAfter } from '../../lib/token-bucket.ts'

/** For each limit the size of the bucket, and how much is added each second. */
export const rates = {
  /** Lines of `chat_send`. */
  lines: { atOnce: 60, perSecond: 6 },
  /** Messages `ping`, and protocol pings and pongs. */
  pings: { atOnce: 60, perSecond: 1 },
  /** `auth` of a client that has authenticated, and `subscribe`. */
  requests: { atOnce: 20, perSecond: 1 },
  /** Messages answered by `error` because of what the client sent; one more closes the connection. */
  errors: { atOnce: 30, perSecond: 3 },
} as const

/**
 * What one of those `requests` counts that asks for lines again: the response can be all kept lines (768 KiB), which wait
 * in the process for a client that does not read.
 */
export const replayCost = 10

export type Rate = keyof typeof rates

/** How much was left in each bucket at the time `at`, milliseconds since 1970. */
export type Allowance = Readonly<Record<Rate, number>> & { readonly at: number }

export const fullAllowance: Allowance = {
  lines: rates.lines.atOnce,
  pings: rates.pings.atOnce,
  requests: rates.requests.atOnce,
  errors: rates.errors.atOnce,
  at: 0,
}

/** The allowance at a later time. @param at milliseconds since 1970; when it is earlier, nothing is added or taken */
export function refilled(before: Allowance, at: number): Allowance {
  const filled = (rate: Rate) => {
    const { atOnce, perSecond } = rates[rate]
    return tokensAfter({ atOnce, added: perSecond, per: 1000 }, before[rate], at - before.at)
  }
  return {
    lines: filled('lines'),
    pings: filled('pings'),
    requests: filled('requests'),
    errors: filled('errors'),
    at,
  }
}

/** Takes `count` from one rate. @returns what is left; undefined when less than `count` was left */
export function without(allowance: Allowance, rate: Rate, count = 1): Allowance | undefined {
  const left = allowance[rate] - count
  return left < 0 ? undefined : { ...allowance, [rate]: left }
}

/** The sentence of a `rate_limited` error. @param what the messages or lines, in the plural */
export const rateInWords = (rate: Rate, what: string): string =>
  `At most ${rates[rate].atOnce} ${what} at once, then ${rates[rate].perSecond} a second`
