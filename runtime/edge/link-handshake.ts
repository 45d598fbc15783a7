import { Problem } from '../../handlers/problem.ts'
import { bearerKey } from '../../lib/keys.ts'
import { problemResponse } from '../http/answer.ts'
import type { Gate } from '../http/gate.ts'
import { requestIdOf } from '../http/request-id.ts'
import { noKeyFound } from '../http/unauthorized.ts'
import { edgeCaller } from './caller.ts'
import type { FarmKeys } from './farm-keys.ts'

/**
 * Checks a request to open the link of a farm (bridges/linked/README.md, "Opening").
 * @param refusedFor milliseconds for which no link is let in
 * @returns the id of the link key that it sends, or the answer that refuses it
 */
export function checkLink(
  request: Request,
  keys: FarmKeys,
  gate: Pick<Gate, 'wrongKey'>,
  refusedFor: number,
): { readonly keyId: string } | { readonly refusal: Response } {
  const refused = (problem: Problem) => ({
    refusal: problemResponse(
      problem,
      requestIdOf(request.headers.get('x-request-id')) ?? crypto.randomUUID(),
    ),
  })
  const caller = edgeCaller(request)
  const key = caller.manyKeys ? undefined : bearerKey(caller.header('authorization'))
  if (key === undefined) return refused(noKeyFound(caller.header('authorization'), '<link-key>'))
  const keyId = keys.linkId(key)
  if (keyId === undefined) return refused(gate.wrongKey(caller.address))
  if (caller.header('upgrade')?.toLowerCase() !== 'websocket')
    return refused(new Problem('upgrade_required', 'Open this path as a WebSocket'))
  if (refusedFor > 0) {
    const retryAfter = Math.ceil(refusedFor / 1000)
    const sentence = `The last link of this farm broke the protocol; try again in ${retryAfter} s`
    return refused(new Problem('rate_limited', sentence, { retryAfter }))
  }
  return { keyId }
}
