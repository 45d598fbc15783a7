/** The ticket service's report on its sign-in. */
import * as v from 'valibot'
import { signInFindings } from '../../client/findings.ts'
import { ask } from './ask.ts'
import { answered, broken, type Checks } from './check.ts'
import { checkOf } from './finding-check.ts'

const health = v.object({ logged_in: v.boolean(), token_days_remaining: v.nullish(v.number()) })

/** @param url of the service, which may contain its key */
export async function ticketServiceChecks(url: string, signal: AbortSignal): Promise<Checks> {
  const asked = await ask(`${url.replace(/\/+$/, '')}/health`, { signal })
  const { host } = new URL(url)
  if ('cause' in asked)
    return broken(
      'ticket service',
      `${host} does not answer: ${asked.cause}`,
      'Start it, and check PLATFORM_AUTH_URL.',
    )
  const read = v.safeParse(health, asked.body)
  if (!read.success)
    return broken(
      'ticket service',
      `${host} is not it, or its key is wrong (HTTP ${asked.status})`,
      'Check PLATFORM_AUTH_URL: http://<host>:3001/<TICKET_KEY>.',
    )
  const { milliseconds } = asked
  return [
    answered('ticket service', `${host} answers after ${milliseconds} ms`, milliseconds),
    ...signInFindings({
      isSignedIn: read.output.logged_in,
      daysLeft: read.output.token_days_remaining ?? undefined,
    }).map(checkOf),
  ]
}
