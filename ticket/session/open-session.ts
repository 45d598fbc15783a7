import type { Clock } from '../clock.ts'
import type { TicketConfig } from '../config.ts'
import { isUserName } from '../config-variables.ts'
import { Failure, LogonError } from '../errors.ts'
import type { Log } from '../log.ts'
import type { Secrets } from '../secrets.ts'
import type { Prompter } from '../terminal.ts'
import { logOn, type PlatformConnection } from './logon.ts'
import { type Credentials, signInByPassword } from './password-sign-in.ts'
import { signInByQr } from './qr-sign-in.ts'
import type { SessionStore, StoredSession } from './session-file.ts'
import type { SignInOptions } from './sign-in.ts'

/** What a logon needs to know and to have. */
export interface SessionContext {
  readonly config: TicketConfig
  readonly store: SessionStore
  readonly log: Log
  readonly secrets: Secrets
  readonly clock: Clock
  /** undefined where nobody can be asked (`serve`, and commands without a terminal behind them). */
  readonly prompter: Prompter | undefined
  readonly signal: AbortSignal
  /** Milliseconds for one logon, and for a person to approve a sign-in. */
  readonly logonTimeout: number
  readonly approvalTimeout: number
}

/** A logged-on session, and where it came from. */
export interface OpenSession extends PlatformConnection {
  /** A token from the environment belongs to whoever set it: it is neither saved nor renewed. */
  readonly source: 'environment' | 'saved' | 'password'
  /** undefined for a token from the environment. */
  readonly stored: StoredSession | undefined
  readonly refreshToken: string
  /** Why a new session could not be saved; undefined when it was, or had no need to be. */
  readonly saveError: unknown
}

/** Further wishes. */
export interface OpenOptions {
  /** A session that is newer than the saved one, because it could not be saved. */
  readonly unsaved?: StoredSession | undefined
  /** Sign in anew even if a token works. */
  readonly again?: boolean
  readonly qr?: boolean
}

/** 30 s for a logon, five minutes for a person. */
export const signInTimeouts = { logonTimeout: 30_000, approvalTimeout: 300_000 } as const

/**
 * Opens a session: the environment's token, then the saved session, then the password. A way that is refused gives
 * way to the next, with the reason in the log; a platform that cannot be reached, or asks us to wait, ends the search,
 * since the next way leads through the same door.
 * @throws LogonError
 */
export async function openSession(context: SessionContext, options: OpenOptions = {}): Promise<OpenSession> {
  const { config, log, store } = context
  const reasons: string[] = []
  const giveWay = (way: string, reason: string) => {
    reasons.push(`${way}: ${reason}`)
    log.warn(`Cannot sign in with ${way}: ${reason}`)
  }
  const tryToken = async (way: string, refreshToken: string) => {
    context.secrets.hide(refreshToken)
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
      giveWay(way, error.message)
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
      if (loaded.imported) log.info('Took over the session of the existing sidecar')
      context.secrets.hide(loaded.session.guardData)
      const connection = await tryToken('the saved session', loaded.session.refreshToken)
      if (connection) return saved(connection, loaded.session, loaded.imported?.saveError)
    } else if (loaded.missing) reasons.push(`the saved session: ${loaded.problem}`)
    else giveWay('the saved session', loaded.problem)
  }

  const stored = await signInAnew(context, options, reasons)
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

async function signInAnew(
  context: SessionContext,
  options: OpenOptions,
  reasons: readonly string[],
): Promise<StoredSession> {
  const { config, prompter } = context
  const signIn: SignInOptions = { ...context, proxy: config.proxy, approvalTimeout: context.approvalTimeout }
  const nobody = () => new LogonError('person_needed', reasons.join('; ') || 'no way to sign in')
  let username = config.username
  if (!username && !options.qr && prompter) {
    username = (
      await prompter.ask('User name (leave empty to sign in with a QR code): ', { signal: context.signal })
    ).trim()
  }
  if (prompter && (options.qr || !username))
    return checkAccount(config, await signInByQr({ ...signIn, prompter }))
  if (!username) throw nobody()
  if (!isUserName(username)) throw new Failure('usage', 'That is not an account name.')
  const password =
    config.password ??
    (await prompter?.ask('Password (not shown): ', { hidden: true, signal: context.signal })) ??
    undefined
  if (!password) throw nobody()
  context.secrets.hide(password)
  const credentials: Credentials = { username, password, guardData: await guardDataOf(context, username) }
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

/** By QR the account is whoever scanned; an account that was named must be that one, and its file is named as it was. */
function checkAccount({ username }: TicketConfig, stored: StoredSession): StoredSession {
  if (!username) return stored
  if (username.toLowerCase() === stored.username.toLowerCase()) return { ...stored, username }
  throw new LogonError('rejected', 'the code was scanned by another account than PLATFORM_USERNAME names')
}

/** @returns the end of a command that could not get a session. */
export function loginFailure(error: unknown): unknown {
  if (!(error instanceof LogonError)) return error
  const refused = error.kind === 'rejected' || error.kind === 'person_needed'
  if (!refused) return new Failure('failed', `Not signed in: ${error.message}.`, { cause: error })
  return new Failure('login_needed', `Not signed in: ${error.message}. Run the login command.`, {
    cause: error,
  })
}
