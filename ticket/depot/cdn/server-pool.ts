import { setTimeout as sleep } from 'node:timers/promises'
import { backOff } from '../../../process/back-off.ts'
import { DownloadError } from '../../errors.ts'
import type { ContentServer } from '../platform.ts'

/** How long the download waits for what. Milliseconds. */
export interface RetryPolicy {
  /** First rest of a server that failed; doubles with each failure in a row. */
  readonly firstDelay: number
  readonly maxDelay: number
  /** Without a byte for so long, a request has stalled. */
  readonly idleTimeout: number
  /** Tries for one chunk before the download gives up. */
  readonly maxTries: number
}

export const downloadRetries: RetryPolicy = {
  firstDelay: 500,
  maxDelay: 30_000,
  idleTimeout: 15_000,
  maxTries: 12,
}

/** A server with what this download has learned of it. */
export interface RatedServer {
  readonly server: ContentServer
  inFlight: number
  failures: number
  /** Not asked before this time. */
  restUntil: number
  /** Left out: nothing answers there. */
  dead: boolean
  /** Seconds per MiB, a moving mean; `undefined` before the first success. */
  pace: number | undefined
  /** The query string it asked for, and whether it has worked. */
  token: Promise<string> | undefined
  tokenWorked: boolean
}

export interface ServerPool {
  /** The best server now; waits while all rest. Rejects with `no_server` when none has answered for long. */
  take(signal: AbortSignal): Promise<RatedServer>
  /** Gives it back with the outcome: seconds per MiB, or the kind of failure. */
  done(rated: RatedServer, outcome: { readonly pace: number } | 'failed' | 'dead' | 'neutral'): void
}

/** Rounds in which every server was dead, after which the download gives up. */
const maxDeadRounds = 5

/**
 * Scores and rotates servers: each request goes where the fewest wait for the fastest; a failing server
 * rests (process/back-off.ts), a dead one is left out until none is left.
 */
export function serverPool(
  servers: readonly ContentServer[],
  retries: RetryPolicy,
  now: () => number,
  random: () => number,
): ServerPool {
  const pool: RatedServer[] = servers.map((server) => ({
    server,
    inFlight: 0,
    failures: 0,
    restUntil: 0,
    dead: false,
    pace: undefined,
    token: undefined,
    tokenWorked: false,
  }))
  let deadRounds = 0

  const cost = (rated: RatedServer, typical: number): number =>
    (rated.inFlight + 1) * (rated.pace ?? typical * (1 + rated.server.load / 10_000))

  const rest = (failures: number): number =>
    backOff({ first: retries.firstDelay, max: retries.maxDelay }, failures, random())

  return {
    async take(signal) {
      for (;;) {
        signal.throwIfAborted()
        const alive = pool.filter(({ dead }) => !dead)
        if (alive.length === 0) {
          deadRounds += 1
          if (deadRounds > maxDeadRounds)
            throw new DownloadError('no_server', 'no content server can be reached')
          for (const rated of pool) Object.assign(rated, { dead: false, restUntil: now() + rest(deadRounds) })
          continue
        }
        const time = now()
        const ready = alive.filter(({ restUntil }) => restUntil <= time)
        if (ready.length > 0) {
          const paces = pool.flatMap(({ pace }) => pace ?? [])
          const typical = paces.length === 0 ? 1 : paces.reduce((a, b) => a + b) / paces.length
          const best = ready.reduce((a, b) => (cost(b, typical) < cost(a, typical) ? b : a))
          best.inFlight += 1
          return best
        }
        const wait = Math.min(...alive.map(({ restUntil }) => restUntil)) - time
        // Cut short by the signal, the next round throws its reason.
        await sleep(Math.max(wait, 1), undefined, { signal }).catch(() => undefined)
      }
    },
    done(rated, outcome) {
      rated.inFlight -= 1
      if (outcome === 'neutral') return
      if (typeof outcome === 'object') {
        deadRounds = 0
        rated.failures = 0
        rated.pace = rated.pace === undefined ? outcome.pace : rated.pace * 0.8 + outcome.pace * 0.2
        return
      }
      // Sixteen requests that fail at once are one failure.
      if (rated.restUntil > now()) return
      rated.failures += 1
      rated.restUntil = now() + rest(rated.failures)
      if (outcome === 'dead') rated.dead = true
    },
  }
}
