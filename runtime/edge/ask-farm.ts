import * as v from 'valibot'
import { lostAnswer } from '../../handlers/farm-error.ts'
import { problemOf } from '../../handlers/problem.ts'
import type { Log } from '../../lib/log.ts'

/** A farm's Durable Object, as far as the Worker calls it. */
export interface Farm {
  fetch(request: Request): Promise<Response>
}

/**
 * Forwards a request to the farm's object. An object can end before it has answered: a new version of the Worker is
 * deployed, the object throws, or it has too much load. It may have made the change of a write by then.
 * @throws {Problem} game_unavailable; game_timeout for a write whose outcome is unknown
 */
export async function askFarm(farm: Farm, request: Request, log: Log): Promise<Response> {
  try {
    return await farm.fetch(request)
  } catch (error) {
    log.error({ cause: String(error) }, 'the farm object ended before it answered')
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    throw problemOf(lostAnswer(isRead || wasNotDelivered(error) ? 'read' : 'write'))
  }
}

/**
 * An overloaded object does not receive the request at all; the platform marks the error
 * (developers.cloudflare.com/durable-objects/best-practices/error-handling).
 */
const wasNotDelivered = (error: unknown) => v.is(v.object({ overloaded: v.literal(true) }), error)
