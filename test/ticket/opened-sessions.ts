import { untilAborted } from '../../lib/time-limit.ts'
import type { BackgroundDownload } from '../../ticket/download-port.ts'
import { LogonError } from '../../ticket/errors.ts'
import type { SessionState } from '../../ticket/platform-port.ts'
import { makeSecrets } from '../../ticket/secrets.ts'
import { keepSession } from '../../ticket/session/keep-session.ts'
import type { OpenOptions, OpenSession } from '../../ticket/session/open-session.ts'
import { serveDelays } from '../../ticket/session/retry-delays.ts'
import type { StoredSession } from '../../ticket/session/session-file.ts'
import { asClient, fakeClient } from './fake-client.ts'
import { steamId, stillClock } from './fake-platform.ts'
import { keptLog } from './kept-log.ts'
import { sessionWith, start, storeWith, tokenFor } from './saved-sessions.ts'
import { configOf } from './setting.ts'

/** The saved token at the start. */
export const token = tokenFor(200)
export const unreachable = new LogonError('unreachable', 'Steam cannot be reached (ECONNREFUSED)')
export const lost = new LogonError('unreachable', 'Steam ended the session (NoConnection)')

/** A background download; a test replaces the relevant parts. */
export const backgroundDownload = (parts: Partial<BackgroundDownload>): BackgroundDownload => ({
  isComplete: async () => true,
  download: () => Promise.reject(new Error('not in this test')),
  repairsAtStart: false,
  amount: () => undefined,
  repair: () => Promise.reject(new Error('not in this test')),
  ...parts,
})

interface KeepGiven {
  readonly download?: Partial<BackgroundDownload>
  readonly folderProblem?: string
  readonly days?: number
}

/** A session as `serve` keeps it, with sessions that the test opens and ends, and a clock that it advances. */
export function keep({ download, folderProblem, days = 200 }: KeepGiven = {}) {
  const clock = stillClock(start)
  const log = keptLog()
  const saved = { session: sessionWith(token) as StoredSession | undefined, looks: 0 }
  const store = storeWith({
    folderProblem: async () => folderProblem,
    async load() {
      saved.looks += 1
      if (saved.session === undefined) throw new Error('EIO')
      return { session: saved.session, problem: undefined }
    },
    save: () => Promise.reject(new Error('ENOSPC')),
    isSaved: async () => false,
    reserve: () => Promise.reject(new Error('ENOSPC')),
  })
  const opens: OpenOptions[] = []
  const logons: PromiseWithResolvers<OpenSession>[] = []
  const states: SessionState[] = []
  const port = keepSession(
    {
      config: configOf({ PLATFORM_USERNAME: 'junimo' }),
      log,
      secrets: makeSecrets(),
      clock,
      store,
      logonTimeout: 1,
      approvalTimeout: 1,
    },
    download && backgroundDownload(download),
    serveDelays,
    (context, options = {}) => {
      opens.push(options)
      const logon = Promise.withResolvers<OpenSession>()
      logons.push(logon)
      return untilAborted(logon.promise, context.signal)
    },
  )
  port.onChange((state) => void states.push(state))
  const newest = () => {
    const logon = logons.at(-1)
    if (logon === undefined) throw new Error('no logon has begun')
    return logon
  }
  /** Steam ends the session. */
  let end: (reason: LogonError) => void = () => undefined
  let closes = 0
  return {
    ...port,
    clock,
    lines: log.lines,
    saved,
    opens,
    states,
    closes: () => closes,
    begun: clock.advance(0),
    async logOn(parts: Partial<OpenSession> = {}) {
      const stop = new AbortController()
      const ended = Promise.withResolvers<LogonError>()
      end = (reason) => {
        stop.abort(reason)
        ended.resolve(reason)
      }
      const refreshToken = tokenFor(days)
      newest().resolve({
        client: asClient(fakeClient()),
        steamId,
        clockAhead: 0,
        steamNow: () => start + clock.monotonic(),
        lost: ended.promise,
        ended: stop.signal,
        async close() {
          closes += 1
          end(new LogonError('unreachable', 'closed'))
        },
        source: 'saved',
        stored: sessionWith(refreshToken),
        refreshToken,
        saveError: undefined,
        ...parts,
      })
      await clock.advance(0)
    },
    async fail(error: unknown) {
      newest().reject(error)
      await clock.advance(0)
    },
    async lose(reason = lost) {
      end(reason)
      await clock.advance(0)
    },
  }
}
