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
import { tendToken, tokenDays } from './daily-token-check.ts'
import { installed, runDownload } from './download-runner.ts'
import { type OpenSession, openSession, type SessionContext } from './open-session.ts'
import * as platform from './platform-requests.ts'
import type { StoredSession } from './session-file.ts'

/** Waits between logons, in milliseconds. */
export interface RetryDelays extends BackOff {
  readonly afterRateLimit: number
  /** How often a session file that a person may have written is looked for while a login is needed. */
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
 * Keeps a session for ever: logs on in the background, never prompts, tries again after every loss, looks after the
 * token, and runs the background download while there is a session.
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
  // Known before any session: a game server that has its files must not wait for a logon.
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
        await whileOn(current)
      } catch (error) {
        stop.signal.throwIfAborted()
        await afterFailure(error, ++failures)
      }
    }
  }

  async function whileOn(on: OpenSession): Promise<void> {
    change({
      phase: 'logged_on',
      steamId: on.steamId,
      reason: undefined,
      session: state.session + 1,
      tokenDaysLeft: tokenDays(on.refreshToken, clock.now() + on.clockAhead),
    })
    log.info('Logged on to Steam')
    if (on.clockAhead !== 0) {
      const hours = (Math.abs(on.clockAhead) / 3_600_000).toFixed(1)
      log.warn(
        `The clock of this machine is ${hours} h ${on.clockAhead > 0 ? 'behind' : 'ahead of'} Steam's. Set it right`,
      )
    }
    if (on.saveError && on.stored) {
      unsaved = on.stored
      log.error('The new session could not be saved. Make SESSION_DIR writable, with room on its disk', {
        error: plain(on.saveError),
      })
    }
    const ended = new AbortController()
    const signal = AbortSignal.any([stop.signal, ended.signal])
    const chores = [
      tendToken(session, on, {
        signal,
        onDaysLeft: (tokenDaysLeft) => change({ tokenDaysLeft }),
        onUnsaved: (stored) => {
          unsaved = stored
        },
      }),
      download ? runDownload(download, on.client, { clock, log, signal, delays, report }) : Promise.resolve(),
    ].map((chore) =>
      chore.catch(
        (error: unknown) =>
          stop.signal.aborted ||
          ended.signal.aborted ||
          log.error('A background chore failed', { error: plain(error) }),
      ),
    )
    const reason = await on.lost
    ended.abort()
    current = undefined
    await Promise.all(chores)
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
      return untilSomeoneSignsIn()
    }
    const delay = kind === 'rate_limited' ? delays.afterRateLimit : backOff(delays, failures, clock.random())
    change({ phase: 'waiting', steamId: undefined, reason, retryAt: clock.now() + delay })
    log.warn(`Not logged on: ${reason}. Next try in ${Math.ceil(delay / 1000)} s`)
    await clock.sleep(delay, stop.signal)
  }

  /** Ends when the saved session has changed, or after as long as a rate limit lasts: even a refusal may pass. */
  async function untilSomeoneSignsIn(): Promise<void> {
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
