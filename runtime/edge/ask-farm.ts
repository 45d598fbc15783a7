import * as v from 'valibot'
import { lostAnswer } from '../../handlers/game-error.ts'
import { problemOf } from '../../handlers/problem.ts'
import type { Log } from '../log.ts'

/** A farm's object, as the Worker asks it. */
export interface Farm {
  fetch(request: Request): Promise<Response>
}

/**
 * Has the farm's object answer. One that ends before it has answered (a new version of the Worker, a fault, too
 * much load) may have made what a write asked for.
 * @throws {Problem} game_unavailable; game_timeout for a write whose outcome is unknown
 */
export async function askFarm(farm: Farm, request: Request, log: Log): Promise<Response> {
  try {
    return await farm.fetch(request)
  } catch (error) {
    log.error({ cause: String(error) }, 'the farm object ended before it answered')
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    throw problemOf(lostAnswer(isRead || wasNeverSeen(error) ? 'read' : 'write'))
  }
}

/**
 * An object that has too much to do does not take a request at all; the platform marks its error
 * (developers.cloudflare.com/durable-objects/best-practices/error-handling).
 */
const wasNeverSeen = (error: unknown) => v.is(v.object({ overloaded: v.literal(true) }), error)
