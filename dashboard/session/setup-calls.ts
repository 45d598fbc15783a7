/** The calls of the set-up in the browser, with the one-time code of its link. They have no key. */
import { FarmgateError } from '../../client/index.ts'

/** The answer of `GET /setup` (docs/ticket-service.md). */
export interface SetupView {
  readonly state: 'sign_in' | 'waiting' | 'no_licence' | 'downloading' | 'installed' | 'failed'
  readonly account?: string
  readonly qr?: { readonly url: string; readonly expiresAt: string }
  readonly download?: {
    readonly bytes: number
    readonly totalBytes: number
    readonly bytesPerSecond: number
    /** Null while it is unknown. */
    readonly secondsLeft: number | null
  }
  readonly error?: string
  readonly code?: string
}

const within = 15_000

/**
 * Makes one call. They must not overlap before the first answer, which has the cookie.
 * @throws {FarmgateError} with the code of the problem; `unreachable` without an answer
 */
async function call(code: string, method: 'GET' | 'POST', path: string): Promise<unknown> {
  let response: Response
  let body: unknown
  try {
    response = await fetch(`setup${path}`, {
      method,
      headers: { authorization: `Setup ${code}` },
      signal: AbortSignal.timeout(within),
    })
    body = await response.json()
  } catch {
    throw new FarmgateError('unreachable', 'There is no answer')
  }
  if (response.ok) return body
  const { error = '', code: problem = 'bad_answer' } = Object(body)
  throw new FarmgateError(String(problem), String(error), { status: response.status })
}

export const setupState = (code: string) => call(code, 'GET', '') as Promise<SetupView>
export const beginSignIn = (code: string) => call(code, 'POST', '/sign-in')
export const beginDownload = (code: string) => call(code, 'POST', '/download')
export const firstKey = async (code: string): Promise<string> =>
  String(Object(await call(code, 'POST', '/key')).key)
