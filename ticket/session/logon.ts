import { randomInt } from 'node:crypto'
import type { Clock } from '../../lib/clock.ts'
import { withTimeLimit } from '../../lib/time-limit.ts'
import { LogonError } from '../errors.ts'
import { loadPlatformLibrary, type PlatformClient, type PlatformLibrary } from '../steam-user.ts'
import { logonError } from './logon-error.ts'
import { readToken } from './token.ts'

/** A logged-on session with Steam. It never reconnects: after a loss the caller logs on again. */
export interface PlatformConnection {
  readonly client: PlatformClient
  /** The account, a decimal 64-bit id. */
  readonly steamId: string
  /** Milliseconds by which Steam's clock is ahead of the local one; 0 when unknown or at most a minute. */
  readonly clockAhead: number
  /** Steam's clock, milliseconds since 1970. Setting the local clock during the session does not change it. */
  steamNow(): number
  /** Resolves with the reason when the session ends, also after `close`. */
  readonly lost: Promise<LogonError>
  /** Aborts when the session ends; its reason is the LogonError. */
  readonly ended: AbortSignal
  close(): Promise<void>
}

export interface LogonOptions {
  readonly refreshToken: string
  readonly proxy: string | undefined
  /** Milliseconds after which a logon without an answer fails. */
  readonly timeout: number
  readonly clock: Clock
  readonly signal: AbortSignal
}

const logoffTimeout = 1000
const minute = 60_000

/**
 * Logs on once with a refresh token, on a new client. The retries of steam-user can hang after a failed socket
 * (steam-user #512), so the client is discarded after `timeout` and the caller tries again.
 * @param load returns the Steam library, which is slow to load
 * @throws LogonError
 */
export async function logOn(
  options: LogonOptions,
  load: () => Pick<PlatformLibrary, 'createClient' | 'resultName'> = loadPlatformLibrary,
): Promise<PlatformConnection> {
  const { claims, problem } = readToken(options.refreshToken)
  // With a token that it cannot use, steam-user causes an unhandled rejection, which would end the process.
  if (problem !== undefined) throw new LogonError('rejected', `the token cannot be used: ${problem}`)
  options.signal.throwIfAborted()
  const library = load()
  const client = library.createClient({
    // steam-user writes no files; the session file holds the token.
    dataDirectory: null,
    autoRelogin: false,
    enablePicsCache: false,
    // session/renew-token.ts renews the token, after it has reserved disk space.
    renewRefreshTokens: false,
    // 2 is WebSocket: it uses TLS and supports an HTTP proxy; the TCP protocol does not use TLS.
    protocol: 2,
    ...(options.proxy ? { httpProxy: options.proxy } : {}),
  })
  const end = new AbortController()
  const { promise: lost, resolve: resolveLost } = Promise.withResolvers<LogonError>()
  const lose = (error: LogonError) => {
    end.abort(error)
    resolveLost(error)
  }
  // Never removed: a late error of a discarded client would otherwise end the process.
  client.on('error', (error) => lose(logonError(error, library.resultName)))
  client.on('disconnected', (result) => lose(logonError({ eresult: result }, library.resultName)))

  const close = () =>
    new Promise<void>((resolve) => {
      const wasOn = client.steamID !== null && !end.signal.aborted
      lose(new LogonError('unreachable', 'closed'))
      client.logOff()
      if (!wasOn) return resolve()
      client.once('disconnected', () => resolve())
      setTimeout(resolve, logoffTimeout).unref()
    })

  try {
    const clockAhead = await whenOn(client, lost, options)
    const steamId = client.steamID?.getSteamID64() ?? claims.steamId
    const { clock } = options
    const difference = clock.now() + clockAhead - clock.monotonic()
    const steamNow = () => clock.monotonic() + difference
    return { client, steamId, clockAhead, steamNow, lost, ended: end.signal, close }
  } catch (error) {
    await close()
    throw error
  }

  function whenOn(
    user: PlatformClient,
    failed: Promise<LogonError>,
    { timeout, signal, refreshToken, clock }: LogonOptions,
  ): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    failed.then(reject)
    user.once('loggedOn', (details) => resolve(clockAheadOf(details, clock.now())))
    // Random, because Steam ends a session when another one logs on with the same logon ID.
    user.logOn({ refreshToken, logonID: randomInt(1, 2 ** 32 - 1) })
    const late = () => new LogonError('unreachable', `Steam did not answer within ${timeout / 1000} s`)
    return withTimeLimit(timeout, promise, late).finally(() => signal.removeEventListener('abort', abort))
  }
}

function clockAheadOf(details: object, now: number): number {
  if (!('rtime32_server_time' in details)) return 0
  const seconds = Number(details.rtime32_server_time)
  const ahead = seconds * 1000 - now
  // Less than a minute can come from the delay of the message and from Steam's whole seconds.
  return seconds > 0 && Math.abs(ahead) > minute ? ahead : 0
}
