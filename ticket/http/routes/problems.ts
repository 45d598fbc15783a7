import { PlatformError } from '../../errors.ts'
import { MetadataTooLarge, maxMetadataBytes } from '../../lobby-metadata.ts'
import type { Services, TicketAnswer } from './route.ts'

/** Ends a request with an error answer; thrown by handlers. */
export class HttpProblem extends Error {
  readonly answer: TicketAnswer

  constructor(answer: TicketAnswer) {
    super('the request cannot be answered')
    this.answer = answer
  }
}

/** @returns an error answer: `error` is a sentence, `code` is for programs, `more` are further fields. */
export function problem(
  status: number,
  code: string,
  error: string,
  more: object = {},
  headers = {},
): TicketAnswer {
  return { status, body: { error, code, ...more }, headers }
}

/** @returns a 400 `invalid_body`. @param reason a sentence that names the wrong part */
export function invalidBody(reason: string): HttpProblem {
  return new HttpProblem(problem(400, 'invalid_body', reason))
}

/**
 * @returns the answer to a request that ended with an error. The game server searches error bodies for words. `NoMatch`
 * makes it ask for a new lobby, so that answer must not contain the words and numbers that make it retry.
 */
export function problemOf(error: unknown, services: Pick<Services, 'platform' | 'clock'>): TicketAnswer {
  if (error instanceof HttpProblem) return error.answer
  if (error instanceof MetadataTooLarge) {
    const rule = `The metadata of a lobby may have at most ${maxMetadataBytes} bytes in all`
    return problem(413, 'payload_too_large', rule)
  }
  if (!(error instanceof PlatformError))
    return problem(500, 'internal_error', 'Something went wrong here; the log says what')
  switch (error.kind) {
    case 'not_logged_in':
      return notLoggedIn(services)
    case 'rate_limited':
      return problem(
        429,
        'platform_rate_limited',
        `Steam asks us to wait (${error.result})`,
        {},
        { 'Retry-After': '60' },
      )
    case 'token_from_environment':
      return problem(
        409,
        'token_from_environment',
        'The token comes from PLATFORM_REFRESH_TOKEN, and a renewal would revoke that copy. Set a new one',
      )
    case 'timeout':
      return problem(504, 'platform_timeout', 'Steam did not answer in time')
    case 'refused':
      if (error.result === 'NoMatch')
        return problem(404, 'lobby_not_found', 'NoMatch: this lobby no longer exists, create a new one')
      return problem(502, 'platform_error', `Steam answered ${error.result}`, { result: error.result })
  }
}

function notLoggedIn({ platform, clock }: Pick<Services, 'platform' | 'clock'>): TicketAnswer {
  const { phase, retryAt } = platform.state()
  const needed = phase === 'login_needed'
  const sentence = needed
    ? 'Not logged in to Steam. Run the login command: docker compose run --rm ticket login'
    : 'Not logged in to Steam yet; the service keeps trying. If it lasts, run the login command'
  const wait =
    retryAt === undefined ? 30 : Math.min(Math.max(Math.ceil((retryAt - clock.monotonic()) / 1000), 1), 300)
  return problem(503, 'not_logged_in', sentence, {}, { 'Retry-After': String(wait) })
}

/** @param wait whole seconds */
export const rateLimited = (what: string, wait: number): TicketAnswer =>
  problem(
    429,
    'rate_limited',
    `Too many ${what}; try again in ${wait} s`,
    {},
    { 'Retry-After': String(wait) },
  )
