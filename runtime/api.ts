/** The parts of the control API that are made alike on Node and at the edge: metrics, audit, gate and router. */

import type { KeyCheck } from '../lib/keys.ts'
import type { Rates } from '../lib/rate-limit.ts'
import { type Audit, createAudit } from './dispatch/audit.ts'
import { createGate, type Gate } from './http/gate.ts'
import { createMetrics } from './http/metrics.ts'
import { limitsOf } from './http/rate-limit.ts'
import { refusedRequests } from './http/refused-requests.ts'
import { createRouter, type RouterOptions } from './router.ts'

type Shared = Pick<
  RouterOptions<object>,
  'game' | 'records' | 'backups' | 'origins' | 'log' | 'now' | 'monotonic' | 'newRequestId'
>

export interface ApiParts extends Shared {
  readonly keys: KeyCheck
  readonly rates: Rates
  /** How many clients get the chat. */
  readonly listening: () => number
}

type Made = Pick<RouterOptions<object>, 'metrics' | 'audit' | 'refusals'>

export interface Api extends Made {
  readonly audit: Audit
  readonly gate: Gate
  router<Env extends object>(
    own: Omit<RouterOptions<Env>, keyof Shared | keyof Made>,
  ): ReturnType<typeof createRouter<Env>>
}

export function createApi({ keys, rates, listening, ...shared }: ApiParts): Api {
  const { game, records, origins, log, now, monotonic, newRequestId } = shared
  const metrics = createMetrics(game, listening, now)
  const audit = createAudit({ records, metrics: metrics.audit, log, newRequestId, monotonic })
  const { throttled, limited } = audit
  const told = { metrics, throttled, limited, log }
  const made = { metrics, audit, refusals: refusedRequests(log, monotonic) }
  return {
    ...made,
    gate: createGate({ keys, limits: limitsOf(rates, now), origins, monotonic, ...told }),
    router: (own) => createRouter({ ...own, ...shared, ...made }),
  }
}
