/** How often a client of `/ws` may do what costs the server something: plain numbers, so that an attachment holds them. */

/** So many at once, and how many more with each second. */
export const rates = {
  /** Lines said into the game. */
  lines: { atOnce: 60, perSecond: 6 },
  /** Messages `ping`, and protocol pings and pongs. */
  pings: { atOnce: 60, perSecond: 1 },
  /** `auth` of a client that has authenticated, and `subscribe`: each may send it everything that is kept. */
  requests: { atOnce: 20, perSecond: 1 },
  /** Messages answered by `error` for what they are; the next closes the connection. */
  errors: { atOnce: 30, perSecond: 3 },
} as const

export type Rate = keyof typeof rates

/** How much of each a client might do at once `at` that moment, milliseconds since 1970. */
export type Allowance = Readonly<Record<Rate, number>> & { readonly at: number }

export const fullAllowance: Allowance = {
  lines: rates.lines.atOnce,
  pings: rates.pings.atOnce,
  requests: rates.requests.atOnce,
  errors: rates.errors.atOnce,
  at: 0,
}

/** @param at now; a clock that was set back gives nothing and takes nothing away */
export function refilled(before: Allowance, at: number): Allowance {
  const seconds = Math.max(0, at - before.at) / 1000
  const filled = (rate: Rate) => Math.min(rates[rate].atOnce, before[rate] + seconds * rates[rate].perSecond)
  return {
    lines: filled('lines'),
    pings: filled('pings'),
    requests: filled('requests'),
    errors: filled('errors'),
    at,
  }
}

/** @returns what is left; undefined when there is not so much */
export function without(allowance: Allowance, rate: Rate, count = 1): Allowance | undefined {
  const left = allowance[rate] - count
  return left < 0 ? undefined : { ...allowance, [rate]: left }
}

/** A rate as the answer to who goes beyond it says it. @param what in the plural */
export const rateInWords = (rate: Rate, what: string): string =>
  `At most ${rates[rate].atOnce} ${what} at once, then ${rates[rate].perSecond} a second`
