/** A provider of accounts: Discord, or an issuer of OpenID Connect. */

import * as oauth from 'oauth4webapi'
import type { SignInProvider } from '../../handlers/account-record.ts'
import type { SignInAnswer } from '../../handlers/accounts.ts'
import { FarmError } from '../../handlers/farm-error.ts'
import { errorCode } from '../../lib/error-code.ts'
import { bodyBytes } from '../../lib/foreign/body-text.ts'
import { checkJsonSize } from '../../lib/json.ts'
import type { Log } from '../../lib/log.ts'
import type { Person } from '../records/accounts-table.ts'
import type { Attempt } from './attempt.ts'

export interface Client {
  readonly id: string
  readonly secret: string
}

export interface Provider extends SignInProvider {
  /** The page of the provider where the person signs in. @throws {FarmError} issuer_unavailable */
  pageOf(attempt: Attempt, callback: string): Promise<URL>
  /**
   * @returns the person; `denied` or `failed` for an answer that is not accepted
   * @throws {FarmError} issuer_unavailable
   */
  personOf(answer: SignInAnswer, attempt: Attempt, callback: string): Promise<Person | 'denied' | 'failed'>
}

/** Milliseconds for all requests of one step. */
const within = 20_000
const maxBytes = 1024 * 1024
const maxValues = 20_000
/** Seconds by which the clocks of issuer and farm may differ. */
const clockTolerance = 60

export const clientOf = ({ id }: Client): oauth.Client => ({
  client_id: id,
  [oauth.clockTolerance]: clockTolerance,
})

/** The options of every request of one step: limits on time and size. @param base address of the provider */
export function requestOptions(base: string) {
  const signal = AbortSignal.timeout(within)
  return {
    signal,
    // Only an address on this machine may be plain HTTP; the configuration checks that.
    [oauth.allowInsecureRequests]: base.startsWith('http:'),
    async [oauth.customFetch](url: string, init: object): Promise<Response> {
      const response = await fetch(url, init)
      const read = await bodyBytes(response.body, maxBytes, signal)
      if ('fault' in read) throw new TypeError('the answer is too large or ended early')
      // The library parses it, also keys and claims that no schema bounds.
      checkJsonSize(new TextDecoder().decode(read.bytes), { values: maxValues })
      const { status, headers } = response
      return new Response(status === 204 || status === 304 ? null : read.bytes, { status, headers })
    },
  }
}

/** @throws {TypeError} for an address that is not a page */
export function pageUrl(endpoint: string | undefined): URL {
  const url = new URL(endpoint ?? '')
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new TypeError('not a page')
  return url
}

/** The address of the provider's page. */
export async function authorizationUrl(
  endpoint: string | undefined,
  client: Client,
  { state, verifier }: Attempt,
  more: Readonly<Record<string, string>>,
): Promise<URL> {
  const url = pageUrl(endpoint)
  const parameters = {
    response_type: 'code',
    client_id: client.id,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...more,
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url
}

/** Exchanges the code of an answer for tokens. @throws the error of the library */
export async function tokensFor(
  as: oauth.AuthorizationServer,
  who: oauth.Client,
  secret: oauth.ClientAuth,
  answer: SignInAnswer,
  { state, verifier }: Attempt,
  callback: string,
  options: ReturnType<typeof requestOptions>,
): Promise<Response> {
  const checked = oauth.validateAuthResponse(as, who, parametersOf(answer), state)
  return oauth.authorizationCodeGrantRequest(as, who, secret, checked, callback, verifier, options)
}

/** Whether the provider's answer was read, and is wrong; otherwise the provider did not answer. */
const isWrongAnswer = (error: unknown): boolean =>
  error instanceof oauth.ResponseBodyError ||
  error instanceof oauth.WWWAuthenticateChallengeError ||
  error instanceof oauth.UnsupportedOperationError ||
  (error instanceof oauth.OperationProcessingError &&
    !(error.cause instanceof Response && error.cause.status >= 500))

/**
 * Names the reason in the log, and maps failures.
 * @param of the provider's name
 */
export function failures({ name }: SignInProvider, log: Pick<Log, 'warn'>) {
  const unavailable = (error: unknown) => {
    const code = errorCode(error)
    log.warn({ provider: name, cause: String(error), ...(code !== undefined && { code }) }, 'sign-in failed')
    return new FarmError({
      kind: 'issuer_unavailable',
      sentence: `${name} does not answer, or not as expected; try to sign in again later`,
    })
  }
  return {
    async begin<T>(run: () => Promise<T>): Promise<T> {
      return run().catch((error: unknown) => {
        throw unavailable(error)
      })
    },
    async end<T>(run: () => Promise<T>): Promise<T | 'denied' | 'failed'> {
      return run().catch((error: unknown) => {
        if (error instanceof oauth.AuthorizationResponseError) return 'denied' as const
        const failure = unavailable(error)
        if (isWrongAnswer(error)) return 'failed' as const
        throw failure
      })
    },
  }
}

/** The name of a person as it is shown: without control characters, at most 64 UTF-16 units. */
export const shownName = (...names: readonly unknown[]): string => {
  for (const name of names) {
    const shown = typeof name === 'string' ? name.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '').trim() : ''
    if (shown !== '') return shown.slice(0, 64).toWellFormed()
  }
  return '?'
}

/** The members of the callback's query that the library checks. */
const parametersOf = (answer: SignInAnswer): URLSearchParams =>
  new URLSearchParams(Object.entries(answer).filter(([, value]) => value !== undefined))
