import { sleep } from '../../lib/clock.ts'
import { untilAborted } from '../../lib/time-limit.ts'
import {
  type BackgroundDownload,
  type DownloadStatus,
  downloadDisabled,
  downloadPending,
  type RepairOutcome,
} from '../download-port.ts'
import { LogonError, PlatformError } from '../errors.ts'
import { initialState, type PlatformPort, type SessionState } from '../platform-port.ts'
import { type BackgroundTask, runTasks } from './background-tasks.ts'
import { browserSignIn } from './browser-sign-in.ts'
import { checkTokenDaily } from './daily-token-check.ts'
import { installed, repair, runDownload } from './download-runner.ts'
import { type OpenSession, openSession, type SessionContext, tookOver } from './open-session.ts'
import { type RetryDelays, retryAfter, serveDelays } from './retry-delays.ts'
import type { StoredSession } from './session-file.ts'
import { sessionRequests } from './session-requests.ts'
import { renewNow, type SessionToken, sessionToken, tokenDays } from './session-token.ts'

/**
 * Keeps a session until `close`: logs on in the background, never prompts, logs on again after every loss, checks the
 * token daily, and runs the background download while logged on. `close` ends after a pending renewal of the token;
 * `finishRenewal` begins no more work and waits only for that renewal.
 */
export function keepSession(
  context: Omit<SessionContext, 'signal' | 'prompter'>,
  download: BackgroundDownload | undefined,
  delays: RetryDelays = serveDelays,
  open: typeof openSession = openSession,
): PlatformPort & { finishRenewal(): Promise<void> } {
  const stop = new AbortController()
  const { log, clock, config } = context
  const session: SessionContext = { ...context, prompter: undefined, signal: stop.signal }
  const listeners = new Set<(state: SessionState) => void>()
  let state: SessionState = initialState
  let current: OpenSession | undefined
  let token: SessionToken | undefined
  let unsaved: StoredSession | undefined
  let tasks: Promise<void> = Promise.resolve()
  let downloadStatus: DownloadStatus = download ? downloadPending : downloadDisabled
  let repairing: Promise<RepairOutcome> | undefined
  let retryDownload = () => {}
  let isRepairDue = download?.repairsAtStart === true
  // Reported before the first logon: a game server whose files are complete must not wait for one.
  if (!isRepairDue) reportInstalled()

  function reportInstalled(): void {
    download?.isComplete().then(
      (complete) => complete && state.session === 0 && report(installed),
      () => undefined,
    )
  }

  function change(next: Partial<SessionState>): void {
    state = { ...state, ...next }
    for (const listener of listeners) listener(state)
  }

  async function run(): Promise<void> {
    const problem = await context.store.folderProblem()
    if (problem) log.warn({}, problem)
    // Failed or soon lost logons in a row.
    let failures = 0
    for (;;) {
      change({ phase: 'logging_on', retryAt: undefined })
      const tried = new Set([await savedToken()])
      let loggedOnAt: number | undefined
      let error: unknown
      try {
        const opened = await open(session, { unsaved, onToken: (token) => void tried.add(token) })
        loggedOnAt = clock.monotonic()
        begin(opened)
        error = await opened.lost
      } catch (failed) {
        error = failed
      }
      stop.signal.throwIfAborted()
      const lasted = loggedOnAt === undefined ? undefined : clock.monotonic() - loggedOnAt
      failures = lasted !== undefined && lasted >= delays.stableAfter ? 1 : failures + 1
      const delay = reportFailure(error, failures, lasted !== undefined)
      if (isRepairDue) skipRepair()
      // The token may have been renewed during the session.
      if (lasted !== undefined) tried.add(await savedToken())
      if (await newSessionWithin(delay, tried)) failures = 0
    }
  }

  function begin(opened: OpenSession): void {
    current = opened
    change({
      phase: 'logged_on',
      steamId: opened.steamId,
      reason: undefined,
      session: state.session + 1,
      tokenDaysLeft: tokenDays(opened.refreshToken, opened.steamNow()),
    })
    log.info({}, 'Logged on to Steam')
    if (opened.clockAhead !== 0) {
      const hours = (Math.abs(opened.clockAhead) / 3_600_000).toFixed(1)
      log.warn(
        {},
        `The clock of this machine is ${hours} h ${opened.clockAhead > 0 ? 'behind' : 'ahead of'} Steam's. Set it right`,
      )
    }
    if (opened.saveError && opened.stored) {
      unsaved = opened.stored
      const error = opened.saveError instanceof Error ? opened.saveError.message : String(opened.saveError)
      log.error(
        {
          error,
        },
        'The new session could not be saved. Make SESSION_DIR writable, with room on its disk',
      )
    }
    const held = sessionToken(session, opened, {
      onDaysLeft: (tokenDaysLeft) => change({ tokenDaysLeft }),
      onUnsaved: (stored) => {
        unsaved = stored
      },
    })
    token = held
    // The tasks of the previous session may still be ending, for instance while a download releases its folder.
    tasks = tasks.then(() => runDuring(opened, held))
    const forget = () => {
      current = undefined
      change({ phase: 'logging_on', steamId: undefined })
    }
    // At once, so that a request whose session was lost waits for the next session.
    if (opened.ended.aborted) forget()
    else opened.ended.addEventListener('abort', forget, { once: true })
  }

  /** Without a session there is nothing to compare the files with, and the game server must not wait for one. */
  function skipRepair(): void {
    isRepairDue = false
    log.warn({}, 'The game files are not checked at this start, because there is no session with Steam')
    reportInstalled()
  }

  function repairOnce(download: BackgroundDownload, opened: OpenSession, signal: AbortSignal) {
    repairing ??= repair(download, opened.client, { clock, log, signal }).finally(() => {
      repairing = undefined
    })
    return repairing
  }

  async function fetchFiles(
    files: BackgroundDownload,
    opened: OpenSession,
    signal: AbortSignal,
  ): Promise<void> {
    const nextTry = () => new Promise<void>((resolve) => (retryDownload = resolve))
    /** Waits for a repair that fails and leaves no marker: a download finishes it. */
    const untilIncomplete = async () => {
      do await untilAborted(nextTry(), signal)
      while (await files.isComplete())
    }
    if (isRepairDue) {
      isRepairDue = false
      if (await files.isComplete()) {
        const startedAt = clock.now()
        report({ phase: 'running', detail: undefined, startedAt, finishedAt: undefined })
        report(await repairOnce(files, opened, signal))
        if (await files.isComplete()) await untilIncomplete()
      }
    }
    for (;;) {
      await runDownload(files, opened.client, { clock, log, signal, delays, report, nextTry })
      await untilIncomplete()
    }
  }

  function runDuring(opened: OpenSession, held: SessionToken): Promise<void> {
    const signal = AbortSignal.any([stop.signal, opened.ended])
    const daily: BackgroundTask = {
      name: 'daily check of the token',
      run: () =>
        checkTokenDaily(session, held, {
          signal,
          onDaysLeft: (tokenDaysLeft) => change({ tokenDaysLeft }),
        }),
    }
    const leaving: BackgroundTask = {
      name: 'watch of the saved session',
      run: () => untilSignedOut(opened, signal),
    }
    const fetching: BackgroundTask[] = download
      ? [
          {
            name: 'background download',
            run: () => fetchFiles(download, opened, signal),
          },
        ]
      : []
    return runTasks([daily, leaving, ...fetching], { log, clock, signal })
  }

  /** Ends the session when `logout` removes the saved one. */
  async function untilSignedOut(opened: OpenSession, signal: AbortSignal): Promise<void> {
    if (opened.stored === undefined) return
    for (let wasSaved = false; ; ) {
      const isSaved = await context.store.isSaved(opened.stored.username)
      if (wasSaved && !isSaved) break
      wasSaved = isSaved
      await sleep(clock, delays.lookForLogin, signal)
    }
    log.warn({}, 'The saved session was removed. Signing out')
    unsaved = undefined
    await opened.close()
  }

  const signIn = browserSignIn({
    ...context,
    async onSaved(username) {
      unsaved = undefined
      const old = current
      await old?.close()
      // The session of an account that does not own the game is not needed any more.
      if (old?.stored !== undefined && old.stored.username !== username)
        await context.store.remove(old.stored.username)
    },
  })

  /** Reports the state to callers and the log. @returns milliseconds until the next attempt */
  function reportFailure(error: unknown, failures: number, lost: boolean): number {
    const { reason, personNeeded, delay } = retryAfter(error, failures, lost, delays, clock.random())
    if (personNeeded) {
      change({ phase: 'login_needed', steamId: undefined, reason, retryAt: undefined })
      // Not an error where no one has signed in yet, which is how each installation begins.
      log[error instanceof LogonError && error.kind === 'rejected' ? 'error' : 'warn'](
        {},
        `A person must sign in: ${reason}. Run the login command; the service then continues automatically`,
      )
      return delay
    }
    change({ phase: 'waiting', steamId: undefined, reason, retryAt: clock.monotonic() + delay })
    const seconds = Math.ceil(delay / 1000)
    log.warn({}, `${lost ? 'Lost the session' : 'Not logged on'}: ${reason}. Next try in ${seconds} s`)
    return delay
  }

  /** Waits, but at most until a session with an untried token was saved. @returns whether one was saved */
  async function newSessionWithin(wait: number, tried: ReadonlySet<string | undefined>): Promise<boolean> {
    const until = clock.monotonic() + wait
    for (let left = wait; left > 0; left = until - clock.monotonic()) {
      await sleep(clock, Math.min(left, delays.lookForLogin), stop.signal)
      const token = await savedToken()
      if (token !== undefined && !tried.has(token)) {
        log.info({}, 'A new session was saved. Trying it now')
        return true
      }
    }
    return false
  }

  async function savedToken(): Promise<string | undefined> {
    const loaded = await context.store.load(config.username).catch(() => undefined)
    // The first look saves the copy, so that `open` finds it as any other. A failure to save is reported there.
    if (loaded?.session && loaded.imported && loaded.imported.saveError === undefined) log.info({}, tookOver)
    return loaded?.session?.refreshToken
  }

  function report(status: DownloadStatus): void {
    downloadStatus = status
    change({})
  }

  /** Steam has revoked the old token once it sends the new one, so the new one must reach the disk. */
  async function finishRenewal(): Promise<void> {
    stop.abort()
    await token?.renewing()
  }

  const done = run().catch((error: unknown) => {
    if (!stop.signal.aborted) throw error
  })

  const states: Pick<PlatformPort, 'state' | 'onChange'> = {
    state: () => state,
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }

  return {
    ...states,
    ...sessionRequests({ appId: config.appId, clock, current: () => current, states }),
    downloadStatus: () => downloadStatus,
    async renewToken() {
      if (stop.signal.aborted || !current || !token) throw new PlatformError('not_logged_in')
      return renewNow(token)
    },
    async repairGame() {
      if (stop.signal.aborted || !current || !download) throw new PlatformError('not_logged_in')
      const signal = AbortSignal.any([stop.signal, current.ended])
      return repairOnce(download, current, signal).finally(() => retryDownload())
    },
    async setupStatus() {
      return { signIn: signIn.status(), account: current?.stored?.username, amount: download?.amount() }
    },
    async beginSignIn() {
      if (!stop.signal.aborted) signIn.begin()
    },
    async retryDownload() {
      retryDownload()
    },
    finishRenewal,
    async close() {
      await signIn.close()
      await finishRenewal()
      await current?.close()
      await Promise.all([done, tasks])
    },
  }
}
