import { setTimeout as sleep } from 'node:timers/promises'
import { backOff } from '../../../lib/back-off.ts'
import { DownloadError } from '../../errors.ts'
import { duration } from '../sizes.ts'
import type { Connections } from './connections.ts'
import { FetchError } from './fetch-error.ts'
import type { Outage } from './outage.ts'
import { semaphore } from './semaphore.ts'
import type { RetryPolicy, ServerPool } from './server-pool.ts'
import type { Tokens } from './tokens.ts'

/** Fetches manifests and chunks from the content servers. */
export interface Cdn {
  /**
   * Fetches a path until `accept` returns a result. Each body that `accept` rejects counts as a failure of its server.
   * @returns the result of `accept`
   * @throws DownloadError `no_server` when it was not delivered for as long as `RetryPolicy.giveUpAfter`, `platform` when
   * Steam did not give what is needed for the request
   */
  fetch<Result>(request: CdnRequest<Result>): Promise<Result>
}

interface CdnRequest<Result> {
  /** What is fetched, for messages: `the manifest`. */
  readonly what: string
  /** Path on the server, without the token; called for each try. */
  readonly path: () => Promise<string> | string
  /** Returns a buffer for a body of this length in bytes (`undefined`: not stated); may throw to refuse it. */
  readonly memory: (length: number | undefined) => Buffer
  /** Resolves with the result, or with `undefined` when the bytes are not the requested ones. */
  readonly accept: (bytes: Buffer) => Promise<Result | undefined>
  readonly signal: AbortSignal
}

export interface CdnParts {
  readonly pool: ServerPool
  readonly tokens: Tokens
  readonly connections: Connections
  /** Maximum number of concurrent requests. */
  readonly count: number
  readonly retries: RetryPolicy
  readonly outage: Outage
  readonly now: () => number
  readonly random: () => number
}

/** How often a request fails for lack of what Steam must give for it, such as a token, before the download fails. */
const maxRefusedBySteam = 3

/** Number of recent requests whose durations show how long a request usually takes. */
const comparedRequests = 64
const fewestCompared = 8

/** @returns the content servers of one depot, with at most `count` concurrent requests. */
export function openCdn({ pool, tokens, connections, count, retries, outage, now, random }: CdnParts): Cdn {
  const slots = semaphore(count)
  const recentDurations: number[] = []

  /** Whether a request has taken longer than `idleTimeout` and 20 times the median of recent requests, if there are. */
  const tooSlow = (took: number): boolean => {
    const known = recentDurations.length >= fewestCompared
    const typical = known ? recentDurations.toSorted((a, b) => a - b)[recentDurations.length >> 1] : undefined
    return (
      took > (typical === undefined ? retries.maxRequestTime : Math.max(retries.idleTimeout, 20 * typical))
    )
  }

  /** @returns the result, or why the try failed */
  const attempt = async <Result>(
    request: CdnRequest<Result>,
  ): Promise<{ readonly result: Result } | { readonly failed: unknown }> => {
    const { path, memory, accept, signal } = request
    const free = await slots.take(signal)
    let fetched: { bytes: Buffer; took: number }
    let rated: Awaited<ReturnType<ServerPool['take']>>
    try {
      rated = await pool.take(signal)
      const { server } = rated
      try {
        const place = `${server.https === 'mandatory' ? 'https' : 'http'}://${server.host}${await path()}`
        fetched = await tokens.send(server, async (query) => {
          const started = now()
          const url = place + query
          const bytes = await connections.fetch({ url, vhost: server.vhost, memory, tooSlow, signal })
          return { bytes, took: now() - started }
        })
      } catch (error) {
        pool.done(rated, signal.aborted || error instanceof DownloadError ? 'neutral' : failureOf(error))
        signal.throwIfAborted()
        if (error instanceof DownloadError && error.kind !== 'platform') throw error
        return { failed: error }
      }
    } finally {
      free()
    }
    const { bytes, took } = fetched
    const result = await accept(bytes).catch((error: unknown) => {
      pool.done(rated, 'neutral')
      throw error
    })
    if (result === undefined) {
      pool.done(rated, 'failed')
      return { failed: new Error('damaged data') }
    }
    recentDurations.push(took)
    if (recentDurations.length > comparedRequests) recentDurations.shift()
    pool.done(rated, { pace: (took / 1000) * (2 ** 20 / Math.max(bytes.length, 2 ** 16)) })
    return { result }
  }

  return {
    async fetch(request) {
      const { what, signal } = request
      let firstFailure: number | undefined
      let refusedBySteam = 0
      for (let tries = 1; ; tries++) {
        const outcome = await attempt(request)
        if ('result' in outcome) {
          outage.delivered()
          return outcome.result
        }
        const { failed } = outcome
        if (failed instanceof DownloadError) refusedBySteam += 1
        if (refusedBySteam === maxRefusedBySteam) throw failed
        const reason = failed instanceof Error ? failed.message : String(failed)
        firstFailure ??= now()
        if (now() - firstFailure >= retries.giveUpAfter) {
          const limit = duration(retries.giveUpAfter / 1000)
          throw new DownloadError(
            'no_server',
            `no content server delivered ${what} within ${limit} (last: ${reason})`,
          )
        }
        outage.failed(reason)
        // Each server is tried once without a wait.
        const rounds = tries - pool.size
        if (rounds < 0) continue
        const wait = backOff({ first: retries.firstDelay, max: retries.maxDelay }, rounds + 1, random())
        await sleep(wait, undefined, { signal }).catch(() => undefined)
        signal.throwIfAborted()
      }
    },
  }
}

function failureOf(error: unknown): 'dead' | 'failed' {
  return error instanceof FetchError && error.kind === 'unreachable' ? 'dead' : 'failed'
}
