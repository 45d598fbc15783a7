/** The parts of the control API that are made alike on Node and at the edge: metrics, audit, gate, dispatch and router. */
import type { GameEvent } from '../handlers/game-event.ts'
import type { KeyCheck } from '../lib/keys.ts'
import type { Rates } from '../lib/rate-limit.ts'
import { type Audit, createAudit } from './dispatch/audit.ts'
import type { Ports } from './dispatch/call.ts'
import { dispatcher } from './dispatch/dispatch.ts'
import { createGate, type Gate } from './http/gate.ts'
import { createMetrics, type Metrics, metricsText } from './http/metrics.ts'
import { filterChanges } from './http/predicate-changed-at.ts'
import { limitsOf } from './http/rate-limit.ts'
import { refusedRequests } from './http/refused-requests.ts'
import { createRouter, type RouterOptions } from './router.ts'

type Shared = Pick<RouterOptions<object>, 'origins' | 'log' | 'now' | 'monotonic' | 'newRequestId'>

export interface ApiParts extends Shared {
  readonly farm: Ports
  readonly keys: KeyCheck
  readonly rates: Rates
  /** How many clients get the chat. */
  readonly listening: () => number
}

/** What a server gives its router besides what all its parts share. */
export interface RouterParts<Env extends object>
  extends Omit<
    RouterOptions<Env>,
    keyof Shared | 'dispatch' | 'metrics' | 'audit' | 'refusals' | 'game' | 'records'
  > {
  readonly publicInviteCodes: boolean
  /** Ends long polls when the process stops. */
  readonly stopping?: AbortSignal
  /** Calls the listener with the events that the game sends anyway; it does not ask the game for more events. */
  hear(listener: (event: GameEvent) => void): void
}

export interface Api extends Pick<RouterOptions<object>, 'refusals'> {
  readonly metrics: Metrics
  readonly audit: Audit
  readonly gate: Gate
  router<Env extends object>(own: RouterParts<Env>): ReturnType<typeof createRouter<Env>>
}

export function createApi({ farm: ports, keys, rates, listening, ...shared }: ApiParts): Api {
  const { game, records } = ports
  const { origins, log, now, monotonic, newRequestId } = shared
  const metrics = createMetrics(game, listening, now)
  const farm = { ...ports, metrics: metricsText(metrics.registry) }
  const audit = createAudit({ records, metrics: metrics.audit, log, newRequestId, monotonic })
  const { throttled, limited } = audit
  const told = { metrics, throttled, limited, log }
  const made = { metrics, audit, refusals: refusedRequests(log, monotonic) }
  return {
    ...made,
    gate: createGate({ keys, limits: limitsOf(rates, now), origins, monotonic, ...told }),
    router(own) {
      const changes = filterChanges(now)
      own.hear(changes.heard)
      const { gate, publicInviteCodes, stopping } = own
      const takesDiscord = own.discord !== undefined
      const dispatch = dispatcher({
        farm,
        gate,
        audit,
        publicInviteCodes,
        takesDiscord,
        stopping,
        changes,
        now,
      })
      return createRouter({ ...own, ...shared, ...made, game, records, dispatch })
    },
  }
}
