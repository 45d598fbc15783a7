import { callerOf } from '../../lib/caller-address.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { RateLimit } from '../../lib/rate-limit.ts'
import { withTimeLimit } from '../../lib/time-limit.ts'
import type { TicketConfig } from '../config.ts'
import { hasMarker } from '../depot/tree/marker.ts'
import { type DownloadErrorKind, PlatformError } from '../errors.ts'
import type { PlatformPort } from '../platform-port.ts'
import type { Secrets } from '../secrets.ts'
import type { SessionStore } from '../session/session-file.ts'
import type { SetupFailure, SetupStatus } from '../setup-status.ts'
import { boundCodeFile } from './bound-code-file.ts'
import { type Judged, setupCodes } from './setup-codes.ts'

/** The answer of `GET /setup`. */
interface SetupView {
  readonly state: 'sign_in' | 'waiting' | 'no_licence' | 'downloading' | 'installed' | 'failed'
  readonly account?: string
  readonly qr?: { readonly url: string; readonly expiresAt: string }
  readonly download?: {
    readonly bytes: number
    readonly totalBytes: number
    readonly bytesPerSecond: number
    readonly secondsLeft: number | null
  }
  /** A sentence; `code` is for programs. */
  readonly error?: string
  readonly code?: SetupFailure
}

/** The set-up in the browser (docs/ticket-service.md). */
export type Setup = ReturnType<typeof openSetup>

interface SetupParts {
  readonly config: Pick<
    TicketConfig,
    'username' | 'password' | 'refreshToken' | 'sessionDir' | 'gameDir' | 'appId' | 'publicUrl'
  >
  readonly platform: Pick<
    PlatformPort,
    'state' | 'onChange' | 'downloadStatus' | 'setupStatus' | 'beginSignIn' | 'retryDownload'
  >
  readonly store: Pick<SessionStore, 'accounts' | 'isSaved'>
  readonly clock: Clock
  readonly randomBytes: (size: number) => Buffer
  readonly log: Log
  readonly secrets: Pick<Secrets, 'hide' | 'forget'>
}

/** Milliseconds in which the session thread must answer. */
const answerTimeout = 5000
/** Requests a minute and address without a right code. One with it is never refused for what others send. */
const wrongAMinute = 60

export function openSetup({ config, platform, store, clock, randomBytes, log, secrets }: SetupParts) {
  const wrong = new RateLimit(wrongAMinute, clock.monotonic)
  const codes = setupCodes({
    clock,
    randomBytes,
    file: boundCodeFile(config.sessionDir),
    announce(code) {
      log.warn(
        {},
        `Set up in the browser: ${config.publicUrl}/#setup=${code} (valid one hour; on another device, with the address of this machine in place of localhost)`,
      )
      // From now on it is in no line.
      secrets.hide(code)
      return () => secrets.forget(code)
    },
  })
  const isInstalled = () => hasMarker(config.gameDir, config.appId)
  const isLoggedOn = () => platform.state().phase === 'logged_on'
  const isSignedIn = async () => {
    if (config.refreshToken !== undefined || isLoggedOn()) return true
    return config.username === undefined
      ? (await store.accounts()).length > 0
      : store.isSaved(config.username)
  }
  const isOpen = async () => !(await isSignedIn()) || !isInstalled()

  /** With a password the service may sign in without a person. */
  const check = async () => {
    if (!(await isOpen())) codes.finish()
    else if (config.password === undefined || platform.state().phase !== 'starting') codes.open()
  }
  /** One after the other: an older look at the disk must not undo a newer one. */
  let checked = Promise.resolve()
  const checkAgain = () => {
    checked = checked
      .then(check)
      .catch((error: unknown) =>
        log.warn({ error: String(error) }, 'The state of the set-up could not be read'),
      )
    return checked
  }
  const stopListening = platform.onChange(() => void checkAgain())
  void checkAgain()

  const ask = <Answer>(request: Promise<Answer>) =>
    withTimeLimit(answerTimeout, request, () => new PlatformError('timeout'))

  return {
    /**
     * Checks a request. `closed`: someone is signed in and the game is installed.
     * @param address of the caller; a number is the seconds to wait after too many wrong codes of it
     */
    async admit(
      code: string | undefined,
      cookie: string | undefined,
      address: string,
    ): Promise<Judged | 'closed' | 'last' | number> {
      const wait = codes.isRight(code) ? 0 : wrong.take(callerOf(address))
      if (wait > 0) return wait
      await checkAgain()
      if (!(await isOpen())) return codes.wasLast(code, cookie) ? 'last' : 'closed'
      return codes.judge(code, cookie)
    },
    async view(): Promise<SetupView> {
      const isThere = await isSignedIn()
      return viewOf(await ask(platform.setupStatus()), isThere)
    },
    beginSignIn: () => ask(platform.beginSignIn()),
    /** @returns false when no one is signed in */
    async download(): Promise<boolean> {
      if (!(await isSignedIn())) return false
      await ask(platform.retryDownload())
      return true
    },
    close() {
      stopListening()
      codes.close()
    },
  }

  function viewOf({ signIn, account, amount }: SetupStatus, isThere: boolean): SetupView {
    const own = account === undefined ? {} : { account }
    if (signIn.state === 'waiting') {
      const { url, expiresAt } = signIn
      const qr = url === undefined ? {} : { qr: { url, expiresAt: new Date(expiresAt).toISOString() } }
      return { state: 'waiting', ...qr }
    }
    if (signIn.state === 'failed')
      return { state: 'failed', ...own, error: signIn.sentence, code: signIn.code }
    const { phase, reason } = platform.state()
    if (!isThere || phase === 'login_needed') return { state: 'sign_in' }
    if (isInstalled()) return { state: 'installed', ...own }
    if (phase === 'waiting')
      return { state: 'failed', error: `Steam cannot be reached: ${reason}`, code: 'steam_offline' }
    const { failure, detail, phase: downloading } = platform.downloadStatus()
    if (amount !== undefined)
      return {
        state: 'downloading',
        ...own,
        download: { ...amount, secondsLeft: amount.secondsLeft ?? null },
      }
    if (failure === 'not_owned') return { state: 'no_licence', ...own }
    if (downloading === 'failed')
      return { state: 'failed', ...own, error: `The download failed: ${detail}`, code: codeOf(failure) }
    return { state: 'downloading', ...own }
  }
}

function codeOf(failure: DownloadErrorKind | undefined): SetupFailure {
  if (failure === 'disk_full') return 'disk_full'
  return failure === 'no_server' || failure === 'platform' ? 'steam_offline' : 'download_failed'
}
