import { setTimeout as sleep } from 'node:timers/promises'
import { backOff } from '../../../process/back-off.ts'
import { DownloadError } from '../../errors.ts'
import type { ContentServer } from '../platform.ts'

/** Delays, timeouts and tries of a download. Times in milliseconds. */
export interface RetryPolicy {
  /** Back-off of a server after its first failure; doubles with each failure in a row. */
  readonly firstDelay: number
  readonly maxDelay: number
  /** A request without new bytes for this long has stalled. */
  readonly idleTimeout: number
  /** Tries for one chunk or manifest before the download fails. */
  readonly maxTries: number
}

export const downloadRetries: RetryPolicy = {
  firstDelay: 500,
  maxDelay: 30_000,
  idleTimeout: 15_000,
  maxTries: 12,
}

/** A server with the measurements of this download. */
export interface RatedServer {
  readonly server: ContentServer
  inFlight: number
  failures: number
  /** No requests before this time, by the monotonic clock `now`. */
  restUntil: number
  /** Not used: it could not be reached. */
  dead: boolean
  /** Moving average in seconds per MiB; `undefined` before the first success. */
  pace: number | undefined
  /** Query string for a server that answered 401 or 403; `undefined` while none was requested. */
  token: Promise<string> | undefined
  /** Whether a request with this token has succeeded. */
  tokenWorked: boolean
}

export interface ServerPool {
  /** Takes the best server; waits while all are in back-off. @throws DownloadError `no_server` */
  take(signal: AbortSignal): Promise<RatedServer>
  /** Returns a server with the outcome of its request: seconds per MiB, or the kind of failure. */
  done(rated: RatedServer, outcome: { readonly pace: number } | 'failed' | 'dead' | 'neutral'): void
}

/** How often all servers may be dead before the download fails. */
const maxDeadRounds = 5

/**
 * Chooses a server for each request, by its measured pace and its requests in flight. A failed server is not used
 * during its back-off (process/back-off.ts). A dead server is not used until all are dead.
 * @param now monotonic milliseconds
 * @param random 0 ≤ x < 1
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
        // When the signal aborts this sleep, the next iteration throws its reason.
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
      // Concurrent requests that fail together count as one failure.
      if (rated.restUntil > now()) return
      rated.failures += 1
      rated.restUntil = now() + rest(rated.failures)
      if (outcome === 'dead') rated.dead = true
    },
  }
}
