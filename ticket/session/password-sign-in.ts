import { EAuthSessionGuardType, type LoginSession } from 'steam-session'
import { LogonError } from '../errors.ts'
import { logonError } from './logon-error.ts'
import type { StoredSession } from './session-file.ts'
import { type BegunSignIn, resultName, type SignInOptions, signIn } from './sign-in.ts'

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
  const { username, password, guardData } = credentials
  return signIn(options, {
    begin: (session) =>
      session.startWithCredentials({
        accountName: username,
        password,
        ...(guardData ? { steamGuardMachineToken: guardData } : {}),
      }),
    confirm: async (sign) => {
      if (sign.started.actionRequired) await passGuard(sign, options)
    },
  }).then((stored) => ({ ...stored, guardData: stored.guardData ?? guardData }))
}

/**
 * Asks for what Steam Guard requires, until Steam has accepted it or only the approval in the app is left.
 * @throws LogonError; the reason of the prompt when it ends
 */
export async function passGuard(
  {
    session,
    started,
    signedIn,
    answer,
  }: Pick<BegunSignIn<Pick<Started, 'validActions'>>, 'started' | 'signedIn' | 'answer'> & {
    readonly session: Pick<LoginSession, 'submitSteamGuardCode'>
  },
  { prompter, log, secrets, signal }: Pick<SignInOptions, 'prompter' | 'log' | 'secrets' | 'signal'>,
): Promise<void> {
  const kinds = new Map((started.validActions ?? []).map((action) => [action.type, action.detail ?? '']))
  const byApproval =
    kinds.has(EAuthSessionGuardType.DeviceConfirmation) || kinds.has(EAuthSessionGuardType.EmailConfirmation)
  const byCode = kinds.has(EAuthSessionGuardType.DeviceCode) || kinds.has(EAuthSessionGuardType.EmailCode)
  if (!prompter) {
    if (!byApproval)
      throw new LogonError(
        'person_needed',
        'Steam asks for a Steam Guard code, but there is no terminal to ask at',
      )
    log.warn({}, 'Approve the sign-in in the Steam mobile app')
    return
  }
  if (!byCode) {
    prompter.say('Approve the sign-in in the Steam mobile app.')
    return
  }
  const question = codeQuestion(kinds.get(EAuthSessionGuardType.EmailCode), byApproval)
  const ended = new AbortController()
  signedIn.then(
    () => ended.abort(),
    () => ended.abort(),
  )
  for (;;) {
    let code: string
    try {
      code = (await prompter.ask(question, { signal: AbortSignal.any([ended.signal, signal]) })).trim()
    } catch (error) {
      if (ended.signal.aborted) return
      throw error
    }
    if (!code) continue
    secrets.hide(code)
    try {
      return await answer(session.submitSteamGuardCode(code.toUpperCase()))
    } catch (error) {
      const { result, message } = logonError(error, resultName)
      if (result !== undefined && wrongCodeResults.has(result))
        prompter.say('That code was not right. Try again.')
      else if (!byApproval) throw error
      else {
        // After an approval Steam refuses a code. The next poll shows whether the sign-in was approved.
        if (result !== 'DuplicateRequest' && !ended.signal.aborted)
          prompter.say(
            `The code was not accepted (${result ?? message}). The approval in the app still counts.`,
          )
        return
      }
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
