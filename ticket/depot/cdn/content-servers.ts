import { DownloadError } from '../../errors.ts'
import type { DepotVersion, Platform } from '../platform.ts'
import type { Connections } from './connections.ts'
import { FetchError } from './fetch-error.ts'
import { semaphore } from './semaphore.ts'
import type { RatedServer, RetryPolicy, ServerPool } from './server-pool.ts'

/** Fetches manifests and chunks from the content servers. */
export interface Cdn {
  /**
   * Fetches a path until `accept` returns a result. Each body that `accept` rejects counts as a failure of its server.
   * @param path path on the server, without the token; called for each try
   * @param memory returns a buffer for a body of this length in bytes (`undefined`: not stated); may throw to refuse it
   * @param accept resolves with the result, or with `undefined` when the bytes are not the requested ones
   * @returns the result of `accept`
   * @throws DownloadError `no_server` after the last try
   */
  fetch<Result>(
    path: () => Promise<string> | string,
    memory: (length: number | undefined) => Buffer,
    accept: (bytes: Buffer) => Promise<Result | undefined>,
    signal: AbortSignal,
  ): Promise<Result>
}

export interface CdnParts {
  readonly platform: Platform
  readonly version: DepotVersion
  readonly pool: ServerPool
  readonly connections: Connections
  readonly count: number
  readonly retries: RetryPolicy
  readonly now: () => number
}

/** @returns the content servers of one depot, with at most `count` concurrent requests. */
export function openCdn({ platform, version, pool, connections, count, retries, now }: CdnParts): Cdn {
  const slots = semaphore(count)
  const recentDurations: number[] = []

  const requestToken = (rated: RatedServer): void => {
    rated.tokenWorked = false
    const token = platform.cdnToken(version.appId, version.depotId, rated.server.vhost)
    rated.token = token
    // The request that awaits the token fails with the rejection. The next refused request asks for a new token.
    token.catch(() => {
      if (rated.token === token) rated.token = undefined
    })
  }

  /** Whether a request has taken longer than `idleTimeout` and 20 times the median of recent requests. */
  const tooSlow = (took: number): boolean => {
    const typical =
      recentDurations.length < 8
        ? undefined
        : [...recentDurations].sort((a, b) => a - b)[recentDurations.length >> 1]
    return typical !== undefined && took > Math.max(retries.idleTimeout, 20 * typical)
  }

  const once = async (
    rated: RatedServer,
    path: string,
    memory: (length: number | undefined) => Buffer,
    signal: AbortSignal,
  ): Promise<{ bytes: Buffer; took: number }> => {
    const { server } = rated
    const token = rated.token === undefined ? '' : await rated.token
    const url = `${server.https ? 'https' : 'http'}://${server.host}${path}${token}`
    const started = now()
    const bytes = await connections.fetch({ url, vhost: server.vhost, memory, tooSlow, signal })
    if (token !== '') rated.tokenWorked = true
    return { bytes, took: now() - started }
  }

  /** Tries again at once with a token when the server answers 401 or 403, unless that token has already failed. */
  const withToken = async (...args: Parameters<typeof once>): ReturnType<typeof once> => {
    const [rated] = args
    const before = rated.token
    try {
      return await once(...args)
    } catch (error) {
      const refused =
        error instanceof FetchError &&
        error.kind === 'status' &&
        (error.status === 401 || error.status === 403)
      if (!refused) throw error
      if (rated.token === before) {
        if (before !== undefined && !rated.tokenWorked) throw error
        requestToken(rated)
      }
      return await once(...args)
    }
  }

  return {
    async fetch(path, memory, accept, signal) {
      let last = 'nothing'
      for (let attempt = 0; attempt < retries.maxTries; attempt++) {
        const free = await slots.take(signal)
        let fetched: { bytes: Buffer; took: number }
        let rated: RatedServer
        try {
          rated = await pool.take(signal)
          try {
            fetched = await withToken(rated, await path(), memory, signal)
          } catch (error) {
            if (signal.aborted) pool.done(rated, 'neutral')
            else if (error instanceof FetchError && error.kind === 'unreachable') pool.done(rated, 'dead')
            else pool.done(rated, 'failed')
            signal.throwIfAborted()
            if (error instanceof DownloadError && error.kind !== 'platform') throw error
            last = error instanceof Error ? error.message : String(error)
            continue
          }
        } finally {
          free()
        }
        const result = await accept(fetched.bytes).catch((error: unknown) => {
          pool.done(rated, 'neutral')
          throw error
        })
        if (result !== undefined) {
          recentDurations.push(fetched.took)
          if (recentDurations.length > 64) recentDurations.shift()
          pool.done(rated, {
            pace: (fetched.took / 1000) * (2 ** 20 / Math.max(fetched.bytes.length, 2 ** 16)),
          })
          return result
        }
        last = 'damaged data'
        pool.done(rated, 'failed')
      }
      throw new DownloadError(
        'no_server',
        `the content servers did not deliver after ${retries.maxTries} tries (last: ${last})`,
      )
    },
  }
}
