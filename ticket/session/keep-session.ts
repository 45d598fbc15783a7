import { type BackOff, backOff } from '../../process/back-off.ts'
import {
  type BackgroundDownload,
  type DownloadStatus,
  downloadDisabled,
  downloadPending,
} from '../download-port.ts'
import { LogonError, PlatformError } from '../errors.ts'
import { initialState, type PlatformPort, type SessionState } from '../platform-port.ts'
import type { PlatformClient } from '../steam-user.ts'
import { checkTokenDaily, tokenDays } from './daily-token-check.ts'
import { installed, runDownload } from './download-runner.ts'
import { type OpenSession, openSession, type SessionContext } from './open-session.ts'
import * as platform from './platform-requests.ts'
import type { StoredSession } from './session-file.ts'

/** Waits between logons, in milliseconds. */
export interface RetryDelays extends BackOff {
  readonly afterRateLimit: number
  /** Interval of the checks for a new session file in `login_needed`. */
  readonly lookForLogin: number
}

/** 1 s to 5 min; 30 min after a rate limit. */
export const serveDelays: RetryDelays = {
  first: 1000,
  max: 300_000,
  afterRateLimit: 1_800_000,
  lookForLogin: 5000,
}

/**
 * Keeps a session until `close`: logs on in the background, never prompts, logs on again after every loss, checks the
 * token daily, and runs the background download while logged on.
 */
export function keepSession(
  context: Omit<SessionContext, 'signal' | 'prompter'>,
  download: BackgroundDownload | undefined,
  delays: RetryDelays = serveDelays,
): PlatformPort {
  const stop = new AbortController()
  const { log, clock, config } = context
  const session: SessionContext = { ...context, prompter: undefined, signal: stop.signal }
  const listeners = new Set<(state: SessionState) => void>()
  let state: SessionState = initialState
  let current: OpenSession | undefined
  let unsaved: StoredSession | undefined
  let downloadStatus: DownloadStatus = download ? downloadPending : downloadDisabled
  // Reported before the first logon: a game server whose files are complete must not wait for one.
  download?.isComplete().then(
    (complete) => complete && state.session === 0 && report(installed),
    () => undefined,
  )

  function change(next: Partial<SessionState>): void {
    state = { ...state, ...next }
    for (const listener of listeners) listener(state)
  }

  async function run(): Promise<void> {
    let failures = 0
    while (!stop.signal.aborted) {
      change({ phase: 'logging_on', retryAt: undefined })
      try {
        current = await openSession(session, { unsaved })
        failures = 0
        await runUntilLost(current)
      } catch (error) {
        stop.signal.throwIfAborted()
        await afterFailure(error, ++failures)
      }
    }
  }

  async function runUntilLost(opened: OpenSession): Promise<void> {
    change({
      phase: 'logged_on',
      steamId: opened.steamId,
      reason: undefined,
      session: state.session + 1,
      tokenDaysLeft: tokenDays(opened.refreshToken, clock.now() + opened.clockAhead),
    })
    log.info('Logged on to Steam')
    if (opened.clockAhead !== 0) {
      const hours = (Math.abs(opened.clockAhead) / 3_600_000).toFixed(1)
      log.warn(
        `The clock of this machine is ${hours} h ${opened.clockAhead > 0 ? 'behind' : 'ahead of'} Steam's. Set it right`,
      )
    }
    if (opened.saveError && opened.stored) {
      unsaved = opened.stored
      log.error('The new session could not be saved. Make SESSION_DIR writable, with room on its disk', {
        error: plain(opened.saveError),
      })
    }
    const ended = new AbortController()
    const signal = AbortSignal.any([stop.signal, ended.signal])
    const backgroundTasks = [
      checkTokenDaily(session, opened, {
        signal,
        onDaysLeft: (tokenDaysLeft) => change({ tokenDaysLeft }),
        onUnsaved: (stored) => {
          unsaved = stored
        },
      }),
      download
        ? runDownload(download, opened.client, { clock, log, signal, delays, report })
        : Promise.resolve(),
    ].map((task) =>
      task.catch(
        (error: unknown) =>
          stop.signal.aborted ||
          ended.signal.aborted ||
          log.error('A background chore failed', { error: plain(error) }),
      ),
    )
    const reason = await opened.lost
    ended.abort()
    current = undefined
    await Promise.all(backgroundTasks)
    stop.signal.throwIfAborted()
    change({
      phase: 'waiting',
      steamId: undefined,
      reason: reason.message,
      retryAt: clock.now() + delays.first,
    })
    log.warn(`Lost the session: ${reason.message}`)
    await clock.sleep(backOff(delays, 1, clock.random()), stop.signal)
  }

  async function afterFailure(error: unknown, failures: number): Promise<void> {
    const kind = error instanceof LogonError ? error.kind : 'unreachable'
    const reason = error instanceof Error ? error.message : String(error)
    if (kind === 'rejected' || kind === 'person_needed') {
      change({ phase: 'login_needed', steamId: undefined, reason, retryAt: undefined })
      log.error(
        `A person must sign in: ${reason}. Run the login command; the service goes on by itself after it`,
      )
      return waitForNewSession()
    }
    const delay = kind === 'rate_limited' ? delays.afterRateLimit : backOff(delays, failures, clock.random())
    change({ phase: 'waiting', steamId: undefined, reason, retryAt: clock.now() + delay })
    log.warn(`Not logged on: ${reason}. Next try in ${Math.ceil(delay / 1000)} s`)
    await clock.sleep(delay, stop.signal)
  }

  /** Resolves when the saved token has changed, or after 30 min: a refusal by Steam may be temporary. */
  async function waitForNewSession(): Promise<void> {
    const before = await savedToken()
    const until = clock.now() + delays.afterRateLimit
    while (clock.now() < until) {
      await clock.sleep(delays.lookForLogin, stop.signal)
      if ((await savedToken()) !== before) return
    }
  }

  async function savedToken(): Promise<string | undefined> {
    const loaded = await context.store.load(config.username).catch(() => undefined)
    return loaded?.session?.refreshToken
  }

  function report(status: DownloadStatus): void {
    downloadStatus = status
    change({})
  }

  const done = run().catch((error: unknown) => {
    if (!stop.signal.aborted) throw error
  })

  const ask = async <T>(request: (client: PlatformClient, appId: number) => Promise<T>): Promise<T> => {
    if (!current) throw new PlatformError('not_logged_in')
    return request(current.client, config.appId)
  }

  return {
    state: () => state,
    downloadStatus: () => downloadStatus,
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    requestTicket: () => ask(platform.requestTicket),
    createLobby: (settings) => ask((client, appId) => platform.createLobby(client, appId, settings)),
    setLobby: (id, settings) => ask((client, appId) => platform.setLobby(client, appId, id, settings)),
    leaveLobby: (id) => ask((client, appId) => platform.leaveLobby(client, appId, id)),
    async close() {
      stop.abort()
      await current?.close()
      await done
    },
  }
}

/** @returns an error as one sentence for the log. */
function plain(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
