import { EAuthSessionGuardType, type LoginSession } from 'steam-session'
import { LogonError } from '../errors.ts'
import { logonError } from './logon-error.ts'
import type { StoredSession } from './session-file.ts'
import { resultName, type SignInOptions, signIn } from './sign-in.ts'

export interface Credentials {
  readonly username: string
  readonly password: string
  readonly guardData: string | undefined
}

type Started = Awaited<ReturnType<LoginSession['startWithCredentials']>>

/**
 * Signs in with a password. With Steam Guard, the sign-in waits for the approval in the app and for a typed code at the
 * same time. A wrong code can be typed again in the same sign-in, so no second email is sent.
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
