/** Tells webhooks that the ticket service's sign-in to Steam is about to end. */
import type { Tell } from './tell.ts'

/** Days before the end at which it is told, each once. */
const toldAt = [14, 7, 3, 1]
/** Milliseconds between two looks. */
const interval = 3_600_000

interface TokenEndParts {
  /** @returns undefined while the ticket service does not answer, or does not know */
  readonly daysRemaining: () => Promise<number | undefined>
  readonly tell: Tell
  /** Milliseconds, never running backwards. */
  readonly monotonic: () => number
}

/** @returns to be called every second */
export function tokenEnd({ daysRemaining, tell, monotonic }: TokenEndParts): () => Promise<void> {
  let nextAt = monotonic()
  /** The smallest of the days that was told. */
  let told = Number.POSITIVE_INFINITY
  return async () => {
    if (monotonic() < nextAt) return
    nextAt = monotonic() + interval
    const days = await daysRemaining()
    if (days === undefined) return
    const reached = toldAt.findLast((one) => days <= one)
    if (reached !== undefined && reached < told)
      tell('token.expiring', { daysRemaining: Math.max(0, Math.floor(days)) })
    told = reached ?? Number.POSITIVE_INFINITY
  }
}
