import { LogonError } from '../../ticket/errors.ts'
import { makeSecrets } from '../../ticket/secrets.ts'
import { checkTokenDaily } from '../../ticket/session/daily-token-check.ts'
import type { StoredSession } from '../../ticket/session/session-file.ts'
import { sessionToken } from '../../ticket/session/session-token.ts'
import type { PlatformClient } from '../../ticket/steam-user.ts'
import { stillClock } from './fake-platform.ts'
import { keptLog } from './kept-log.ts'
import { sessionWith, start, storeWith, tokenFor } from './saved-sessions.ts'

export const full = new Error('ENOSPC')

interface CheckGiven {
  /** Days that the token is valid for. */
  readonly days: number
  /** A token from the environment. */
  readonly isFromEnvironment?: boolean
  readonly saveError?: unknown
}

/** The check with stand-ins: a disk that can be full, and a Steam that renews as set. */
export function check({ days, isFromEnvironment = false, saveError }: CheckGiven) {
  const clock = stillClock(start)
  const log = keptLog()
  const secrets = makeSecrets()
  const token = tokenFor(days)
  const stop = new AbortController()
  const state = {
    file: sessionWith(token) as StoredSession | undefined,
    disk: undefined as Error | undefined,
    /** Steam's answer for the token: a new one, nothing, or an error. */
    renewed: tokenFor(200) as string | undefined | Error | Promise<string>,
    asked: [] as string[],
    released: 0,
    daysLeft: [] as (number | undefined)[],
    unsaved: [] as (string | undefined)[],
    commit: undefined as Error | undefined,
    saves: 0,
  }
  const store = storeWith({
    load: async () =>
      state.file === undefined
        ? { session: undefined, problem: 'no saved session', missing: true }
        : { session: state.file, problem: undefined },
    async save(session) {
      state.saves += 1
      if (state.disk) throw state.disk
      state.file = session
    },
    async reserve() {
      if (state.disk) throw state.disk
      return {
        async commit(session) {
          if (state.commit) throw state.commit
          state.file = session
        },
        async release() {
          state.released += 1
        },
      }
    },
  })
  const signIn = {
    refreshToken: '',
    async renewRefreshToken() {
      state.asked.push(signIn.refreshToken)
      const renewed = await state.renewed
      if (renewed instanceof Error) throw renewed
      if (renewed !== undefined) signIn.refreshToken = renewed
      return renewed !== undefined
    },
  }
  const stored = isFromEnvironment ? undefined : sessionWith(token)
  /** Keeps changes only: a renewal reports the days, and so does the check that triggered it. */
  const onDaysLeft = (left: number | undefined) => {
    if (state.daysLeft.length === 0 || state.daysLeft.at(-1) !== left) state.daysLeft.push(left)
  }
  const sessionEnd = new AbortController()
  const held = sessionToken(
    { log, store, secrets },
    {
      client: { _getLoginSession: () => signIn } as unknown as PlatformClient,
      ended: sessionEnd.signal,
      stored,
      refreshToken: token,
      saveError,
      steamNow: () => start + clock.monotonic(),
    },
    {
      onDaysLeft,
      onUnsaved: (session) => void state.unsaved.push(session?.refreshToken),
    },
  )
  const ended = checkTokenDaily({ clock, log }, held, {
    signal: stop.signal,
    onDaysLeft,
  }).catch((error: unknown) => error)
  return {
    state,
    token,
    held,
    secrets,
    clock,
    lines: log.lines,
    stop,
    endSession: () => sessionEnd.abort(new LogonError('unreachable', 'Steam ended the session')),
    ended,
    begun: clock.advance(0),
  }
}
