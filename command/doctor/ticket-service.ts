/** What the ticket service tells of its sign-in. */
import * as v from 'valibot'
import { ask } from './ask.ts'
import { answered, broken, type Check, ok, warning } from './check.ts'

const health = v.object({ logged_in: v.boolean(), token_days_remaining: v.nullish(v.number()) })

/** Days before the end of its token at which the operator is told. */
const soon = 30

/** @param url of the service, which may contain its key */
export async function ticketServiceChecks(url: string, signal: AbortSignal): Promise<Check[]> {
  const asked = await ask(`${url.replace(/\/+$/, '')}/health`, { signal })
  const { host } = new URL(url)
  if ('cause' in asked)
    return [
      broken(
        'ticket service',
        `${host} does not answer: ${asked.cause}`,
        'Start it, and check PLATFORM_AUTH_URL.',
      ),
    ]
  const read = v.safeParse(health, asked.body)
  if (!read.success)
    return [
      broken(
        'ticket service',
        `${host} is not it, or its key is wrong (HTTP ${asked.status})`,
        'Check PLATFORM_AUTH_URL: http://<host>:3001/<TICKET_KEY>.',
      ),
    ]
  const { milliseconds } = asked
  return [
    answered('ticket service', `${host} answers after ${milliseconds} ms`, milliseconds),
    ...tokenChecks(read.output),
  ]
}

const signIn = 'Sign in: docker compose run --rm ticket login'

export function tokenChecks({ logged_in, token_days_remaining }: v.InferOutput<typeof health>): Check[] {
  const days = token_days_remaining ?? undefined
  const session = logged_in
    ? ok('Steam session', 'signed in')
    : broken('Steam session', 'the ticket service is not signed in', signIn)
  if (days === undefined)
    return [
      session,
      warning('Steam token', 'how long it lasts is not known', 'Look at the log of the ticket service.'),
    ]
  if (days <= 0) return [session, broken('Steam token', 'it has ended', signIn)]
  if (days <= soon) return [session, warning('Steam token', `it ends in ${days} days`, signIn)]
  return [session, ok('Steam token', `${days} days left`)]
}
