import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { isUserName } from '../../lib/platform-user-name.ts'
import type { Prompter } from '../../lib/terminal/prompter.ts'
import type { TicketConfig } from '../config.ts'
import { Failure, LogonError } from '../errors.ts'
import type { Secrets } from '../secrets.ts'
import { logOn, type PlatformConnection } from './logon.ts'
import type { Credentials } from './password-sign-in.ts'
import type { SessionStore, StoredSession } from './session-file.ts'
import type { SignInOptions } from './sign-in.ts'
import { terminalQr } from './terminal-qr.ts'

/** The log message after the session of the existing sidecar was copied to a file of farmgate. */
export const tookOver = 'Took over the session of the existing sidecar'

/** Everything that a logon needs. */
export interface SessionContext {
  readonly config: TicketConfig
  readonly store: SessionStore
  readonly log: Log
  readonly secrets: Secrets
  readonly clock: Clock
  /** undefined where there is no one to ask: in `serve`, and in commands other than `login` and `setup`. */
  readonly prompter: Prompter | undefined
  readonly signal: AbortSignal
  /** Milliseconds for one logon and for each answer in a sign-in, and for a person to approve a sign-in. */
  readonly logonTimeout: number
  readonly approvalTimeout: number
}

/** A logged-on session, and the source of its token. */
export interface OpenSession extends PlatformConnection {
  /** A token from the environment is neither saved nor renewed, because the person who set it manages it. */
  readonly source: 'environment' | 'saved' | 'password'
  /** undefined for a token from the environment. */
  readonly stored: StoredSession | undefined
  readonly refreshToken: string
  /** Why a new session could not be saved; undefined when it was saved or did not need to be. */
  readonly saveError: unknown
}

export interface OpenOptions {
  /** A session that could not be saved and is newer than the saved one. */
  readonly unsaved?: StoredSession | undefined
  /** Sign in again even if a token works. */
  readonly again?: boolean
  readonly qr?: boolean
  /** Called with each token before it is tried. */
  readonly onToken?: (refreshToken: string) => void
}

/** 30 s for a logon, five minutes for the approval by a person. */
export const signInTimeouts = { logonTimeout: 30_000, approvalTimeout: 300_000 } as const

/**
 * Opens a session: with the token from the environment, then the unsaved session, then the saved session, then a new
 * sign-in. When Steam rejects one, the reason is logged and the next is tried. When Steam is unreachable or asks to
 * wait, no other is tried: it would fail for the same reason.
 * @throws LogonError; Failure when the typed account name is invalid, or the input ends
 */
export async function openSession(context: SessionContext, options: OpenOptions = {}): Promise<OpenSession> {
  const { config, log, store } = context
  const reasons: string[] = []
  const skip = (source: string, reason: string) => {
    reasons.push(`${source}: ${reason}`)
    log.warn({}, `Cannot sign in with ${source}: ${reason}`)
  }
  const tryToken = async (source: string, refreshToken: string) => {
    context.secrets.hide(refreshToken)
    options.onToken?.(refreshToken)
    try {
      return await logOn({
        refreshToken,
        proxy: config.proxy,
        timeout: context.logonTimeout,
        clock: context.clock,
        signal: context.signal,
      })
    } catch (error) {
      if (!(error instanceof LogonError) || error.kind !== 'rejected') throw error
      skip(source, error.message)
      return undefined
    }
  }

  if (!options.again) {
    if (config.refreshToken) {
      const refreshToken = config.refreshToken
      const connection = await tryToken('the token from the environment', refreshToken)
      if (connection)
        return { ...connection, source: 'environment', stored: undefined, refreshToken, saveError: undefined }
    }
    if (options.unsaved) {
      const connection = await tryToken('the session in memory', options.unsaved.refreshToken)
      if (connection) return saved(connection, options.unsaved, new Error('it is still unsaved'))
    }
    const loaded = await store.load(config.username)
    if (loaded.session) {
      if (loaded.imported) log.info({}, tookOver)
      context.secrets.hide(loaded.session.guardData)
      const connection = await tryToken('the saved session', loaded.session.refreshToken)
      if (connection) return saved(connection, loaded.session, loaded.imported?.saveError)
    } else if (loaded.missing) reasons.push(`the saved session: ${loaded.problem}`)
    else skip('the saved session', loaded.problem)
  }

  const stored = await signInAgain(context, options, reasons)
  const saveError = await store.save(stored).then(
    () => undefined,
    (error: unknown) => error,
  )
  const connection = await tryToken('the new token', stored.refreshToken)
  if (!connection) throw new LogonError('rejected', reasons.join('; '))
  return { ...connection, source: 'password', stored, refreshToken: stored.refreshToken, saveError }
}

function saved(connection: PlatformConnection, stored: StoredSession, saveError: unknown): OpenSession {
  return { ...connection, source: 'saved', stored, refreshToken: stored.refreshToken, saveError }
}

async function signInAgain(
  context: SessionContext,
  options: OpenOptions,
  reasons: readonly string[],
): Promise<StoredSession> {
  const { config, prompter } = context
  const signIn: SignInOptions = { ...context, proxy: config.proxy, answerTimeout: context.logonTimeout }
  const personNeeded = () => new LogonError('person_needed', reasons.join('; ') || 'no way to sign in')
  let username = config.username
  if (!username && !options.qr && prompter) {
    username = (
      await prompter.ask('User name (leave empty to sign in with a QR code): ', { signal: context.signal })
    ).trim()
  }
  if (prompter && (options.qr || !username)) {
    const { signInByQr } = await import('./qr-sign-in.ts')
    return checkAccount(config, await signInByQr(signIn, terminalQr(prompter)))
  }
  if (!username) throw personNeeded()
  if (!isUserName(username)) throw new Failure('usage', 'That is not an account name.')
  const password =
    config.password ??
    (await prompter?.ask('Password (not shown): ', { hidden: true, signal: context.signal })) ??
    undefined
  if (!password) throw personNeeded()
  context.secrets.hide(password)
  const credentials: Credentials = { username, password, guardData: await guardDataOf(context, username) }
  // Loaded here, because the library of sign-ins takes 20 MB and a saved session needs none of it.
  const { signInByPassword } = await import('./password-sign-in.ts')
  return { ...(await signInByPassword(credentials, signIn)), username }
}

async function guardDataOf(
  { store, secrets }: SessionContext,
  username: string,
): Promise<string | undefined> {
  const loaded = await store.load(username).catch(() => undefined)
  secrets.hide(loaded?.session?.guardData)
  return loaded?.session?.guardData
}

/** Checks that the scanned QR code signed in the configured account, and keeps the configured spelling of its name. */
export function checkAccount({ username }: TicketConfig, stored: StoredSession): StoredSession {
  if (!username) return stored
  if (username.toLowerCase() === stored.username.toLowerCase()) return { ...stored, username }
  throw new LogonError('rejected', 'the code was scanned by another account than PLATFORM_USERNAME names')
}

/**
 * @param asked whether the command can ask the person, as only `login` and `setup` do; others name the login command
 * @returns the Failure for a LogonError; any other error unchanged
 */
export function loginFailure(error: unknown, asked: boolean): unknown {
  if (!(error instanceof LogonError)) return error
  const refused = error.kind === 'rejected' || error.kind === 'person_needed'
  const remedy = refused && !asked ? ' Run the login command.' : ''
  return new Failure(refused ? 'login_needed' : 'failed', `Not signed in: ${error.message}.${remedy}`, {
    cause: error,
  })
}
