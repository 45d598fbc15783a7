import { randomInt } from 'node:crypto'
import { withTimeLimit } from '../../process/time-limit.ts'
import type { Clock } from '../clock.ts'
import { LogonError } from '../errors.ts'
import { loadPlatformLibrary, type PlatformClient } from '../steam-user.ts'
import { logonError } from './logon-error.ts'
import { readToken } from './token.ts'

/** A session with Steam, logged on. It lasts until it is lost or closed and never comes back by itself. */
export interface PlatformConnection {
  readonly client: PlatformClient
  /** The account, a decimal 64-bit id. */
  readonly steamId: string
  /** Milliseconds by which Steam's clock is ahead of ours; 0 when it does not say, or says about the same. */
  readonly clockAhead: number
  /** Resolves with the reason when the session ends, whoever ended it. */
  readonly lost: Promise<LogonError>
  close(): Promise<void>
}

export interface LogonOptions {
  readonly refreshToken: string
  readonly proxy: string | undefined
  /** Milliseconds until a logon that says nothing is given up. */
  readonly timeout: number
  readonly clock: Clock
  readonly signal: AbortSignal
}

const logoffTimeout = 1000
const minute = 60_000

/**
 * Logs on with a refresh token, once, on a client of its own. The library's own retries can hang for ever after one
 * failed socket (steam-user #512), so it gets `timeout` and is then thrown away; trying again is the caller's.
 * @throws LogonError
 */
export async function logOn(options: LogonOptions): Promise<PlatformConnection> {
  const { claims, problem } = readToken(options.refreshToken)
  // The library answers a token that it cannot use with an unhandled rejection, which would end the process.
  if (problem !== undefined) throw new LogonError('rejected', `the token cannot be used: ${problem}`)
  options.signal.throwIfAborted()
  const library = loadPlatformLibrary()
  const client = library.createClient({
    // Nothing of Steam's on our disk but the session file.
    dataDirectory: null,
    autoRelogin: false,
    enablePicsCache: false,
    // Renewal needs room on the disk first: session/renew-token.ts.
    renewRefreshTokens: false,
    // TLS, and able to go through a proxy; the plain TCP protocol is neither.
    protocol: 2,
    ...(options.proxy ? { httpProxy: options.proxy } : {}),
  })
  let ended = false
  let lose: (error: LogonError) => void = () => undefined
  const lost = new Promise<LogonError>((resolve) => {
    lose = (error) => {
      ended = true
      resolve(error)
    }
  })
  // Stays for good: a late error of a client that was thrown away must not end the process.
  client.on('error', (error) => lose(logonError(error, library.resultName)))
  client.on('disconnected', (result) => lose(logonError({ eresult: result }, library.resultName)))

  const close = () =>
    new Promise<void>((resolve) => {
      const wasOn = client.steamID !== null && !ended
      if (!ended) lose(new LogonError('unreachable', 'closed'))
      client.logOff()
      if (!wasOn) return resolve()
      client.once('disconnected', () => resolve())
      setTimeout(resolve, logoffTimeout).unref()
    })

  try {
    const clockAhead = await whenOn(client, lost, options)
    return { client, steamId: client.steamID?.getSteamID64() ?? claims.steamId, clockAhead, lost, close }
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
    // A number of its own for each session: Steam ends the older of two with the same one.
    user.logOn({ refreshToken, logonID: randomInt(1, 2 ** 32 - 1) })
    const late = () => new LogonError('unreachable', `Steam did not answer within ${timeout / 1000} s`)
    return withTimeLimit(timeout, promise, late).finally(() => signal.removeEventListener('abort', abort))
  }
}

function clockAheadOf(details: object, now: number): number {
  if (!('rtime32_server_time' in details)) return 0
  const seconds = Number(details.rtime32_server_time)
  const ahead = seconds * 1000 - now
  // Under a minute it is the way of the message, and Steam's whole seconds.
  return seconds > 0 && Math.abs(ahead) > minute ? ahead : 0
}
