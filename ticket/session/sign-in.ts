import { EAuthTokenPlatformType, EResult, LoginSession } from 'steam-session'
import { LogonError } from '../errors.ts'
import type { Log } from '../log.ts'
import type { Secrets } from '../secrets.ts'
import type { Prompter } from '../terminal.ts'
import { logonError } from './logon-error.ts'
import type { StoredSession } from './session-file.ts'

/** What every kind of sign-in needs. */
export interface SignInOptions {
  readonly proxy: string | undefined
  /** Milliseconds that a person has to approve the sign-in or to type the code. */
  readonly approvalTimeout: number
  /** undefined where nobody can be asked: then only an approval in the app can help. */
  readonly prompter: Prompter | undefined
  readonly log: Log
  readonly secrets: Secrets
  readonly signal: AbortSignal
}

export const resultName = (result: number) => EResult[result] ?? `result ${result}`

/**
 * Begins a sign-in and waits for its end.
 * @param begin starts it; whatever it still waits for is left when `signedIn` settles
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
  // It may reject while `begin` still waits for something else; the rejection is seen below all the same.
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

/** While a sign-in waits, a refusal means that the person said no, or that it took too long. */
function pollError(error: unknown): LogonError {
  const { result } = logonError(error, resultName)
  if (result === 'AccessDenied')
    return new LogonError('rejected', 'the sign-in was denied in the Steam mobile app', result)
  if (result === 'FileNotFound' || result === 'Expired') {
    return new LogonError('person_needed', 'nobody approved the sign-in in time', result)
  }
  return logonError(error, resultName)
}
