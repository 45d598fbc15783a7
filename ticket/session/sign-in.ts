import qrcode from 'qrcode-terminal'
import { EAuthSessionGuardType, EAuthTokenPlatformType, EResult, LoginSession } from 'steam-session'
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

export interface Credentials {
  readonly username: string
  readonly password: string
  readonly guardData: string | undefined
}

type Started = Awaited<ReturnType<LoginSession['startWithCredentials']>>

const resultName = (result: number) => EResult[result] ?? `result ${result}`

/**
 * Signs in with a password. Where a guard stands in the way, one prompt waits for the approval in the app and for a
 * typed code at once. The code goes to the same sign-in, so no second email is sent.
 * @throws LogonError
 */
export function signInByPassword(credentials: Credentials, options: SignInOptions): Promise<StoredSession> {
  return signIn(options, async (session, signedIn) => {
    const { username, password, guardData } = credentials
    const started = await session.startWithCredentials({
      accountName: username,
      password,
      ...(guardData ? { steamGuardMachineToken: guardData } : {}),
    })
    if (started.actionRequired) await passGuard(session, started, signedIn, options)
  }).then((stored) => ({ ...stored, guardData: stored.guardData ?? credentials.guardData }))
}

/** Signs in whoever scans the QR code. @throws LogonError */
export function signInByQr(options: SignInOptions & { readonly prompter: Prompter }): Promise<StoredSession> {
  const show = (url: string) =>
    qrcode.generate(url, { small: true }, (lines) =>
      options.prompter.say(`\n${lines}\nOr open ${url} on the phone.\n`),
    )
  return signIn(options, async (session) => {
    // The code is replaced from time to time; the library reports the new one only here.
    session.on('debug', (_name: unknown, poll: unknown) => {
      const url = newChallenge(poll)
      if (url) show(url)
    })
    const started = await session.startWithQR()
    options.prompter.say('Scan this code with the Steam mobile app:')
    if (started.qrChallengeUrl) show(started.qrChallengeUrl)
  })
}

async function signIn(
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

async function passGuard(
  session: LoginSession,
  started: Started,
  signedIn: Promise<void>,
  { prompter, log, secrets, signal }: SignInOptions,
): Promise<void> {
  const kinds = new Map((started.validActions ?? []).map((action) => [action.type, action.detail ?? '']))
  const byApproval =
    kinds.has(EAuthSessionGuardType.DeviceConfirmation) || kinds.has(EAuthSessionGuardType.EmailConfirmation)
  const byCode = kinds.has(EAuthSessionGuardType.DeviceCode) || kinds.has(EAuthSessionGuardType.EmailCode)
  if (!prompter) {
    if (!byApproval)
      throw new LogonError('person_needed', 'Steam wants a Steam Guard code, and nobody can be asked here')
    log.warn('Approve the sign-in in the Steam mobile app')
    return
  }
  if (!byCode) {
    prompter.say('Approve the sign-in in the Steam mobile app.')
    return
  }
  const question = codeQuestion(kinds.get(EAuthSessionGuardType.EmailCode), byApproval)
  const approved = new AbortController()
  signedIn.then(
    () => approved.abort(),
    () => approved.abort(),
  )
  for (;;) {
    let code: string
    try {
      code = (await prompter.ask(question, { signal: AbortSignal.any([approved.signal, signal]) })).trim()
    } catch (error) {
      if (approved.signal.aborted) return
      throw error
    }
    if (!code) continue
    secrets.hide(code)
    try {
      return await session.submitSteamGuardCode(code.toUpperCase())
    } catch (error) {
      const { result } = logonError(error, resultName)
      if (result === undefined || !wrongCodeResults.has(result)) throw error
      prompter.say('That code was not right. Try again.')
    }
  }
}

const wrongCodeResults = new Set(['InvalidLoginAuthCode', 'TwoFactorCodeMismatch', 'ExpiredLoginAuthCode'])

function codeQuestion(email: string | undefined, byApproval: boolean): string {
  const source =
    email === undefined
      ? 'the Steam Guard code from the mobile app'
      : `the Steam Guard code sent to ${email || 'your email address'}`
  return byApproval ? `Approve the sign-in in the Steam mobile app, or type ${source}: ` : `Type ${source}: `
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

function newChallenge(poll: unknown): string | undefined {
  if (typeof poll !== 'object' || poll === null || !('newChallengeUrl' in poll)) return undefined
  return typeof poll.newChallengeUrl === 'string' && poll.newChallengeUrl ? poll.newChallengeUrl : undefined
}
