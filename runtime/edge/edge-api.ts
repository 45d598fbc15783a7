/** The parts of the control API that the Worker, for its documents, and the object of a farm make alike. */
import { type Audit, createAudit } from '../audit.ts'
import type { LinkedGame } from '../bridges/linked/linked-game.ts'
import { originRules } from '../http/cors.ts'
import { createGate, type Gate } from '../http/gate.ts'
import type { KeyCheck } from '../http/keys.ts'
import { createMetrics, type Metrics } from '../http/metrics.ts'
import { limitsOf } from '../http/rate-limit.ts'
import type { Log } from '../log.ts'
import { refusedRequests } from '../refused-requests.ts'
import { createRouter, type RouterOptions } from '../router.ts'
import { edgeCaller } from './caller.ts'
import type { EdgeSettings } from './settings.ts'

interface EdgeApiParts {
  readonly game: LinkedGame
  readonly keys: KeyCheck
  readonly settings: Pick<EdgeSettings, 'allowedOrigins' | 'rates'>
  readonly log: Log
  /** The clients that listen to the chat. */
  readonly listening: () => number
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Milliseconds, never running backwards. */
  readonly monotonic: () => number
}

interface EdgeApi {
  readonly metrics: Metrics
  readonly audit: Audit
  readonly gate: Gate
  readonly newRequestId: () => string
  router(
    own: Pick<RouterOptions<object>, 'gate' | 'publicInviteCodes' | 'pages' | 'hear' | 'upgrade'>,
  ): ReturnType<typeof createRouter<object>>
}

export function edgeApi({ game, keys, settings, log, listening, now, monotonic }: EdgeApiParts): EdgeApi {
  const { records } = game
  const metrics = createMetrics(game, listening)
  const origins = originRules(settings.allowedOrigins)
  const newRequestId = () => crypto.randomUUID()
  const audit = createAudit({ records, log, newRequestId, monotonic })
  const limits = limitsOf(settings.rates, now)
  return {
    metrics,
    audit,
    gate: createGate({ braked: audit.braked, keys, limits, origins, metrics, log, now }),
    newRequestId,
    router: (own) =>
      createRouter({
        ...own,
        game,
        records,
        audit,
        origins,
        ageOnRefusals: false,
        metrics,
        log,
        refusals: refusedRequests(log, monotonic),
        basePath: '',
        now,
        monotonic,
        newRequestId,
        caller: edgeCaller,
      }),
  }
}
