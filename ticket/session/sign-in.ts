import { EAuthTokenPlatformType, EResult, LoginSession } from 'steam-session'
import { LogonError } from '../errors.ts'
import type { Log } from '../log.ts'
import type { Secrets } from '../secrets.ts'
import type { Prompter } from '../terminal.ts'
import { logonError } from './logon-error.ts'
import type { StoredSession } from './session-file.ts'

/** Everything that a sign-in needs, by password or by QR code. */
export interface SignInOptions {
  readonly proxy: string | undefined
  /** Milliseconds that a person has to approve the sign-in or to type the code. */
  readonly approvalTimeout: number
  /** undefined where no code can be asked for; then only an approval in the app completes the sign-in. */
  readonly prompter: Prompter | undefined
  readonly log: Log
  readonly secrets: Secrets
  readonly signal: AbortSignal
}

export const resultName = (result: number) => EResult[result] ?? `result ${result}`

/**
 * Begins a sign-in and waits until it succeeds or fails.
 * @param begin starts the sign-in; it is no longer awaited once `signedIn` settles
 * @throws LogonError
 */
export async function signIn(
  options: SignInOptions,
  begin: (session: LoginSession, signedIn: Promise<void>) => Promise<void>,
): Promise<StoredSession> {
  options.signal.throwIfAborted()
  const session = new LoginSession(EAuthTokenPlatformType.SteamClient, {
    machineId: true,
    machineFriendlyName: 'farmgate ticket service',
    ...(options.proxy ? { httpProxy: options.proxy } : {}),
  })
  session.loginTimeout = options.approvalTimeout
  const signedIn = new Promise<void>((resolve, reject) => {
    session.on('authenticated', resolve)
    session.on('timeout', () =>
      reject(new LogonError('person_needed', 'nobody approved the sign-in in time')),
    )
    session.on('error', (error) => reject(pollError(error)))
    options.signal.addEventListener('abort', () => reject(options.signal.reason), { once: true })
  })
  // It may reject before it is awaited below. Without this handler that would be an unhandled rejection.
  signedIn.catch(() => undefined)
  try {
    await Promise.race([begin(session, signedIn), signedIn.then(() => undefined)])
    await signedIn
    options.secrets.hide(session.refreshToken, session.accessToken, session.steamGuardMachineToken)
    return {
      username: session.accountName,
      refreshToken: session.refreshToken,
      guardData: session.steamGuardMachineToken,
    }
  } catch (error) {
    options.signal.throwIfAborted()
    throw logonError(error, resultName)
  } finally {
    session.cancelLoginAttempt()
  }
}

/** While a sign-in waits for approval, `AccessDenied` means denied, `FileNotFound` and `Expired` mean too late. */
function pollError(error: unknown): LogonError {
  const { result } = logonError(error, resultName)
  if (result === 'AccessDenied')
    return new LogonError('rejected', 'the sign-in was denied in the Steam mobile app', result)
  if (result === 'FileNotFound' || result === 'Expired') {
    return new LogonError('person_needed', 'nobody approved the sign-in in time', result)
  }
  return logonError(error, resultName)
}
