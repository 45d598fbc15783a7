/** The ticket service's state, for operators (contract section 1, `PLATFORM_AUTH_URL`). */
import { Gauge, type Registry } from 'prom-client'
import * as v from 'valibot'

const health = v.object({
  logged_in: v.boolean(),
  token_days_remaining: v.nullish(v.number()),
})

const patience = 1000

/** Adds the service's series; it is asked, without any key, when somebody reads the metrics. */
export function watchTicketService(url: string, registry: Registry): void {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [registry] })
  const loggedIn = gauge(
    'farmgate_ticket_service_logged_in',
    '1 while the ticket service holds a platform session',
  )
  const daysLeft = gauge(
    'farmgate_ticket_service_token_days_remaining',
    'Days until its refresh token ends; -1 unknown',
  )
  new Gauge({
    name: 'farmgate_ticket_service_available',
    help: '1 while the ticket service answers',
    registers: [registry],
    async collect() {
      const state = await askHealth(url)
      this.set(state === undefined ? 0 : 1)
      loggedIn.set(state?.logged_in === true ? 1 : 0)
      daysLeft.set(state?.token_days_remaining ?? -1)
    },
  })
}

async function askHealth(url: string): Promise<v.InferOutput<typeof health> | undefined> {
  try {
    const response = await fetch(`${url}/health`, {
      signal: AbortSignal.timeout(patience),
      redirect: 'error',
    })
    return v.parse(health, await response.json())
  } catch {
    return undefined
  }
}
