/** Shows the state of the ticket service (`PLATFORM_AUTH_URL`) in the metrics, and logs when it is unreachable. */

import * as v from 'valibot'
import type { SteamSignIn } from '../../handlers/ticket-service.ts'
import type { Clock } from '../../lib/clock.ts'
import {
  causeOfError,
  type FailureCause,
  hostAndPort,
  notItsApi,
  silentFor,
} from '../../lib/failure-cause.ts'
import { bodyText } from '../../lib/foreign/body-text.ts'
import { readForeign } from '../../lib/foreign/read.ts'
import type { Log } from '../../lib/log.ts'
import { outageNotices } from '../../lib/outage-notices.ts'
import type { Registry } from '../../lib/prom-client.ts'
import { gauge } from '../../lib/series.ts'

const health = v.object({
  logged_in: v.boolean(),
  // Negative when the token has expired; the metric has -1 for unknown.
  token_days_remaining: v.nullish(v.pipe(v.number(), v.toMinValue(0))),
})
type Health = v.InferOutput<typeof health>

/** Milliseconds in which the service must answer. */
const answerTimeout = 1000
/** Bytes. */
const maxAnswer = 16_384

interface WatchOptions extends Pick<Clock, 'monotonic'> {
  readonly url: string
  readonly registry: Registry
  readonly log: Log
}

export type TicketServiceWatch = ReturnType<typeof watchTicketService>

/** Adds gauges to the registry. Each reading of the metrics asks the service's `/health` once, without a key. */
export function watchTicketService({ url, registry, log, monotonic }: WatchOptions) {
  const address = hostAndPort(new URL(url))
  const notices = outageNotices({
    monotonic,
    onUnreachable: ({ code, words }) =>
      log.warn({ address, cause: code }, `the ticket service is unreachable: ${words}`),
    onBack: (offlineSeconds) => {
      if (offlineSeconds !== undefined) log.info({ address, offlineSeconds }, 'the ticket service is back')
    },
  })
  let underWay: Promise<Health | undefined> | undefined
  async function ask(): Promise<Health | undefined> {
    const answer = await askHealth(url)
    underWay = undefined
    if ('health' in answer) notices.back()
    else notices.away(answer.cause)
    return 'health' in answer ? answer.health : undefined
  }
  /** All gauges of one reading share one answer of the service. */
  const state = () => {
    underWay ??= ask()
    return underWay
  }
  gauge(registry, 'farmgate_ticket_service_available', '1 while the ticket service answers', async () =>
    (await state()) === undefined ? 0 : 1,
  )
  gauge(
    registry,
    'farmgate_ticket_service_logged_in',
    '1 while the ticket service holds a platform session',
    async () => ((await state())?.logged_in === true ? 1 : 0),
  )
  gauge(
    registry,
    'farmgate_ticket_service_token_days_remaining',
    'Days until its refresh token ends; -1 unknown',
    async () => (await state())?.token_days_remaining ?? -1,
  )
  return {
    /** @returns the health of the service; undefined while it does not answer */
    state,
    /** As the port `TicketService`. */
    async signIn(): Promise<SteamSignIn | 'unreachable'> {
      const health = await state()
      if (health === undefined) return 'unreachable'
      return { isSignedIn: health.logged_in, daysLeft: health.token_days_remaining ?? undefined }
    },
    /** @returns the remaining days of the service's sign-in to Steam; undefined where they are unknown */
    daysRemaining: async () => (await state())?.token_days_remaining ?? undefined,
  }
}

async function askHealth(
  url: string,
): Promise<{ readonly health: Health } | { readonly cause: FailureCause }> {
  try {
    const response = await fetch(`${url}/health`, {
      signal: AbortSignal.timeout(answerTimeout),
      redirect: 'manual',
    })
    const body = await bodyText(response.body, maxAnswer)
    const found = 'text' in body ? readForeign(health, body.text) : undefined
    if (found !== undefined) return { health: found }
    const type = response.headers.get('content-type') ?? 'no content type'
    return { cause: notItsApi(`status ${response.status}, ${type.slice(0, 60)}`) }
  } catch (error) {
    const isLate = error instanceof Error && error.name === 'TimeoutError'
    return { cause: isLate ? silentFor(answerTimeout) : causeOfError(error) }
  }
}
