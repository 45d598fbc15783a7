import { EAuthTokenPlatformType, EResult, LoginSession } from 'steam-session'
import type { Log } from '../../lib/log.ts'
import type { Prompter } from '../../lib/terminal/prompter.ts'
import { untilAborted, withTimeLimit } from '../../lib/time-limit.ts'
import { LogonError } from '../errors.ts'
import type { Secrets } from '../secrets.ts'
import { logonError } from './logon-error.ts'
import type { StoredSession } from './session-file.ts'
import { type SignInConnections, signInConnections } from './sign-in-connections.ts'

/** Everything that a sign-in needs, by password or by QR code. */
export interface SignInOptions {
  readonly proxy: string | undefined
  /** Milliseconds for each answer of Steam. */
  readonly answerTimeout: number
  /** Milliseconds that a person has to approve the sign-in or to type the code. */
  readonly approvalTimeout: number
  /** undefined where there is no one to ask for a code; then only an approval in the app completes the sign-in. */
  readonly prompter: Prompter | undefined
  readonly log: Log
  readonly secrets: Secrets
  readonly signal: AbortSignal
}

/** A sign-in that has begun. */
export interface BegunSignIn<Started> {
  readonly session: LoginSession
  /** Steam's first answer. */
  readonly started: Started
  /** Settles with the end of the sign-in. */
  readonly signedIn: Promise<void>
  /** Waits for an answer of Steam. @throws LogonError when it does not come in time */
  answer<Answer>(request: Promise<Answer>): Promise<Answer>
}

/** The steps of a sign-in that differ between password and QR code. */
export interface SignInSteps<Started> {
  /** Asks Steam to begin. */
  begin(session: LoginSession): Promise<Started>
  /** Asks for what Steam requires. It is no longer awaited once the sign-in has ended. */
  confirm(sign: BegunSignIn<Started>): Promise<void>
}

export const resultName = (result: number) => EResult[result] ?? `result ${result}`

const loginSession = (agent: SignInConnections['agent']) =>
  new LoginSession(EAuthTokenPlatformType.SteamClient, {
    machineId: true,
    machineFriendlyName: 'farmgate ticket service',
    agent,
  })

/**
 * Begins a sign-in and waits until it succeeds or fails. Every answer of Steam has a time limit, and so has the person.
 * @throws LogonError
 */
export async function signIn<Started>(
  options: SignInOptions,
  { begin, confirm }: SignInSteps<Started>,
  newSession: (agent: SignInConnections['agent']) => LoginSession = loginSession,
): Promise<StoredSession> {
  const { signal, secrets, answerTimeout, approvalTimeout } = options
  signal.throwIfAborted()
  const connections = signInConnections(options.proxy)
  const session = newSession(connections.agent)
  // The time limits below replace the library's own, whose clock can be set.
  session.loginTimeout = Number.POSITIVE_INFINITY
  const noAnswer = () =>
    new LogonError('unreachable', `Steam did not answer within ${answerTimeout / 1000} s`)
  const { promise: signedIn, resolve, reject } = Promise.withResolvers<void>()
  // It may reject before it is awaited below. Without this handler that would be an unhandled rejection.
  signedIn.catch(() => undefined)
  session.on('authenticated', resolve)
  session.on('error', (error) => reject(pollError(error)))
  let nextPoll: NodeJS.Timeout | undefined
  const expectPoll = () => {
    clearTimeout(nextPoll)
    nextPoll = setTimeout(() => reject(noAnswer()), answerTimeout)
  }
  session.on('polling', expectPoll)
  session.on('debug', (event: unknown) => {
    if (event === 'poll response') expectPoll()
  })
  const answer = <Answer>(request: Promise<Answer>) => withTimeLimit(answerTimeout, request, noAnswer)

  const run = async () => {
    const started = await answer(begin(session))
    const late = () => new LogonError('person_needed', 'no one approved the sign-in in time')
    const confirmed = withTimeLimit(approvalTimeout, signedIn, late)
    confirmed.catch(reject)
    await Promise.race([confirm({ session, started, signedIn, answer }), confirmed])
    await confirmed
  }
  try {
    await untilAborted(run(), signal)
    secrets.hide(session.refreshToken, session.accessToken, session.steamGuardMachineToken)
    return {
      username: session.accountName,
      refreshToken: session.refreshToken,
      guardData: session.steamGuardMachineToken,
    }
  } catch (error) {
    signal.throwIfAborted()
    throw logonError(error, resultName)
  } finally {
    clearTimeout(nextPoll)
    // After an interrupt nothing else would end the time limit of the approval.
    reject(signal.reason)
    session.cancelLoginAttempt()
    connections.close()
  }
}

/** While a sign-in waits for approval, `AccessDenied` means denied, `FileNotFound` and `Expired` mean too late. */
function pollError(error: unknown): LogonError {
  const { result } = logonError(error, resultName)
  if (result === 'AccessDenied')
    return new LogonError('rejected', 'the sign-in was denied in the Steam mobile app', result)
  if (result === 'FileNotFound' || result === 'Expired') {
    return new LogonError('person_needed', 'no one approved the sign-in in time', result)
  }
  return logonError(error, resultName)
}
