import { setTimeout as sleep } from 'node:timers/promises'
import { backOff } from '../../../lib/back-off.ts'
import { DownloadError } from '../../errors.ts'
import type { ContentServer } from '../platform.ts'

/** Delays and time limits of a download, in milliseconds. */
export interface RetryPolicy {
  /** Back-off of a server after its first failure; doubles with each failure in a row. */
  readonly firstDelay: number
  readonly maxDelay: number
  /** A request without new bytes for this long has stalled. */
  readonly idleTimeout: number
  /** A request has stalled after this long, while there are no others to compare it with. */
  readonly maxRequestTime: number
  /** After this long without a delivery the operator is notified. The fault of a single server is over sooner. */
  readonly reportAfter: number
  /** The download fails when a chunk or a manifest is not delivered for this long after its first failure. */
  readonly giveUpAfter: number
}

export const downloadRetries: RetryPolicy = {
  firstDelay: 500,
  maxDelay: 30_000,
  idleTimeout: 15_000,
  maxRequestTime: 20 * 60_000,
  reportAfter: 5_000,
  giveUpAfter: 5 * 60_000,
}

/** A server with the measurements of this download. */
interface RatedServer {
  readonly server: ContentServer
  inFlight: number
  failures: number
  /** No requests before this time, by the monotonic clock `now`. */
  restUntil: number
  /** Not used: it could not be reached. */
  dead: boolean
  /** Moving average in seconds per MiB; `undefined` before the first success. */
  pace: number | undefined
}

export type ServerPool = ReturnType<typeof serverPool>

/** Dead servers are tried again when every other server has failed this often in a row. */
const failuresOfAll = 3

/**
 * Chooses a server for each request, by its measured pace and its requests in flight. A failed server is not used
 * during its back-off (lib/back-off.ts). A dead server is not used while another one delivers.
 * @param now monotonic milliseconds
 * @param random 0 ≤ x < 1
 */
export function serverPool(
  servers: readonly ContentServer[],
  retries: RetryPolicy,
  now: () => number,
  random: () => number,
) {
  const pool: RatedServer[] = servers.map((server) => ({
    server,
    inFlight: 0,
    failures: 0,
    restUntil: 0,
    dead: false,
    pace: undefined,
  }))
  let deadRounds = 0

  const cost = (rated: RatedServer, typical: number): number =>
    (rated.inFlight + 1) * (rated.pace ?? typical * (1 + rated.server.load / 10_000))

  const rest = (failures: number): number =>
    backOff({ first: retries.firstDelay, max: retries.maxDelay }, failures, random())

  const revive = (): void => {
    const dead = pool.filter((rated) => rated.dead)
    if (dead.length === 0 || pool.some((rated) => !rated.dead && rated.failures < failuresOfAll)) return
    deadRounds += 1
    for (const rated of dead) Object.assign(rated, { dead: false, restUntil: now() + rest(deadRounds) })
  }

  return {
    /** Number of servers. */
    size: pool.length,
    /** Takes the best server; waits while all are in back-off. @throws DownloadError `no_server` when there is none */
    async take(signal: AbortSignal): Promise<RatedServer> {
      if (pool.length === 0)
        throw new DownloadError('no_server', 'Steam lists no content server for this app')
      for (;;) {
        signal.throwIfAborted()
        revive()
        const alive = pool.filter(({ dead }) => !dead)
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
    /** Returns a server with the outcome of its request: seconds per MiB, or the kind of failure. */
    done(rated: RatedServer, outcome: { readonly pace: number } | 'failed' | 'dead' | 'neutral') {
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
