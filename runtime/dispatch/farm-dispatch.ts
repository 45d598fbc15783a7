/** The farm's dispatcher for the calls that its edge forwards (bridges/linked/README.md, "Forwarded calls"), and for its schedules. */

import type { FarmDispatch, ForwardedCall } from '../../bridges/linked/forwarded-call.ts'
import type { Endpoint, FarmPorts } from '../../handlers/endpoint.ts'
import { endpoints as all } from '../../handlers/endpoints/all-endpoints.ts'
import type { KeyHolder } from '../../handlers/key-holder.ts'
import { causeOf, Problem, problemFrom } from '../../handlers/problem.ts'
import { Stream } from '../../handlers/stream.ts'
import type { Clock } from '../../lib/clock.ts'
import { hasEnded } from '../../lib/has-ended.ts'
import { utf8Length } from '../../lib/json.ts'
import type { KeyRing } from '../../lib/key-ring.ts'
import { keyPrefix, knownKey } from '../../lib/keys.ts'
import type { Log } from '../../lib/log.ts'
import { readPieces } from '../http/body.ts'
import { type Metrics, metricsText } from '../http/metrics.ts'
import { filterChanges } from '../http/predicate-changed-at.ts'
import { keyNotAccepted } from '../http/unauthorized.ts'
import { createAudit } from './audit.ts'
import { dispatcher } from './dispatch.ts'
import { type OpenStreams, openStreams } from './open-streams.ts'
import { auditedSay } from './say.ts'

export interface FarmDispatchParts extends Pick<Clock, 'now' | 'monotonic'> {
  /** Those that only the farm can answer, unless given. */
  readonly endpoints?: readonly Endpoint[]
  /** Rows of the audit name the origin of these records. */
  readonly farm: FarmPorts
  readonly keys: Pick<KeyRing, 'named'>
  /** Of the farm's own process, which counts these writes too. */
  readonly metrics: Pick<Metrics, 'registry' | 'audit'>
  readonly log: Pick<Log, 'warn' | 'error'>
  /** Of the farm's own process, which counts these streams too; its own ones unless given. */
  readonly streams?: OpenStreams
}

const newRequestId = () => crypto.randomUUID()

export function farmDispatch({
  endpoints = all.filter(({ at }) => at === 'farm'),
  farm,
  keys,
  metrics,
  log,
  now,
  monotonic,
  streams = openStreams({ monotonic }),
}: FarmDispatchParts): FarmDispatch {
  const operations = new Map(endpoints.map((endpoint) => [endpoint.operationId, endpoint]))
  /** The current holder of a named key. */
  const current = (holder: KeyHolder): KeyHolder | undefined => {
    if (!holder.ref.startsWith(keyPrefix)) return holder
    const named = keys.named?.find(({ id }) => id === holder.id)
    return named === undefined || hasEnded(named, now()) ? undefined : knownKey(named).holder
  }
  const audit = createAudit({
    records: farm.records,
    metrics: metrics.audit,
    log,
    monotonic,
    newRequestId,
  })
  const dispatch = dispatcher({
    farm: { ...farm, metrics: metricsText(metrics.registry) },
    gate: { current },
    audit,
    publicInviteCodes: false,
    publicBadge: false,
    changes: filterChanges(now),
    streams,
    now,
  })
  const answer = async (
    endpoint: Endpoint,
    { body = '', upload: _name, ...call }: ForwardedCall,
    over: AbortSignal | undefined,
    upload: ReadableStream<Uint8Array> | undefined,
  ) => {
    const holder = call.holder && current(call.holder)
    if (holder === undefined && (endpoint.access === 'key' || call.holder !== undefined))
      throw keyNotAccepted()
    return dispatch(endpoint, {
      ...call,
      holder,
      over,
      ...(upload !== undefined && { upload: ({ maxBytes }) => readPieces(upload, maxBytes, over) }),
      async body({ maxBytes }) {
        if (utf8Length(body) <= maxBytes) return body
        throw new Problem('payload_too_large', `The body is larger than ${maxBytes} bytes`)
      },
    })
  }
  return {
    effectOf(operationId) {
      const endpoint = operations.get(operationId)
      return endpoint && (endpoint.method === 'GET' ? 'read' : 'write')
    },
    async dispatch(call, over, upload) {
      try {
        const endpoint = operations.get(call.operationId)
        if (endpoint === undefined) throw new Error(`${call.operationId} is not dispatched here`)
        const { result, status } = await answer(endpoint, call, over, upload)
        return result instanceof Stream ? { stream: result } : { status, result }
      } catch (error) {
        const problem = problemFrom(error)
        if (problem.code === 'internal_error')
          log.error({ requestId: call.from.requestId, cause: causeOf(error) }, 'request failed')
        return { problem }
      }
    },
    say: auditedSay({ game: farm.game, audit, current, newRequestId }),
  }
}
