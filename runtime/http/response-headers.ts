/** Makes a `Response` of an answer, with the headers that every response has: security, CORS, request id, snapshot age. */
import type { GameBridge } from '../../handlers/game-bridge.ts'
import type { Clock } from '../../lib/clock.ts'
import { type Answer, type StreamAnswer, securityHeaders } from './answer.ts'
import type { Caller } from './caller.ts'
import { allowedHeaders, type OriginRules } from './cors.ts'

export interface ResponseContext extends Pick<Clock, 'now'> {
  readonly farm: { readonly game: Pick<GameBridge, 'health'> }
  readonly origins: OriginRules
  /**
   * Whether preflights and refusals also have the age of the snapshot. Not at the edge: it would distinguish an
   * existing farm from an unused name.
   */
  readonly ageOnRefusals: boolean
}

/** Statuses of preflights and of the checks before every route. */
const beforeRoutes: ReadonlySet<number> = new Set([204, 401, 403, 414, 429, 431])

/** @param anyOrigin whether pages of every origin may read the response */
export function responseOf(
  answer: Answer | StreamAnswer,
  { farm, origins, ageOnRefusals, now }: ResponseContext,
  caller: Caller,
  requestId: string,
  anyOrigin: boolean,
): Response {
  const headers: Record<string, string> = {
    ...securityHeaders,
    'Cache-Control': 'no-store',
    Vary: 'Origin',
    'X-Request-Id': requestId,
    ...answer.headers,
  }
  const { snapshotAt } = farm.game.health()
  if (snapshotAt !== undefined && (ageOnRefusals || !beforeRoutes.has(answer.status)))
    headers['X-Snapshot-Age-Ms'] = String(Math.max(0, now() - snapshotAt))
  const origin = caller.header('origin')
  if (origin !== undefined && origins.isAllowed(origin)) Object.assign(headers, allowedHeaders(origin))
  else if (anyOrigin) headers['Access-Control-Allow-Origin'] = '*'
  if (answer.body !== null) {
    headers['Content-Type'] = answer.type
    const bytes = 'length' in answer ? answer.length : answer.bytes
    if (bytes !== undefined) headers['Content-Length'] = String(bytes)
  }
  return new Response(answer.body, { status: answer.status, headers })
}
