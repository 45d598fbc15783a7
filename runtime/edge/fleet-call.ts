/** Calls of a farm's endpoints with the fleet key: the farm's audit names it. */

import * as v from 'valibot'
import { Problem, retryAfter } from '../../handlers/problem.ts'
import { bodyText } from '../../lib/foreign/body-text.ts'
import { foreignValue } from '../../lib/foreign/read.ts'
import { withTimeLimit } from '../../lib/time-limit.ts'
import { isLate, tooLate } from '../../services/fleet/change-order.ts'
import type { FarmCall, FarmReply, FleetRequest } from '../../services/fleet/farm-call.ts'
import { problemResponse } from '../http/answer.ts'
import { requestIdOf } from '../http/request-id.ts'
import { askFarm } from './ask-farm.ts'
import { addressHeader, askedAtHeader, fleetKeyHeader } from './caller.ts'
import type { EdgeEnv } from './env.ts'
import { edgeLog } from './log.ts'
import { fleetFarm } from './object-name.ts'

/** Milliseconds for a call whose endpoint names no budget, and in addition to one that it names. */
const usualBudget = 30_000
/** Bytes. */
const maxAnswer = 8 * 1024 * 1024

const refusal = v.object({ error: v.string(), code: v.string() })

/**
 * Calls an endpoint of a farm that exists; the farm's dispatcher runs it.
 * @param asked the request of the operator
 * @param within milliseconds
 * @throws {Problem} game_timeout where the outcome is unknown, game_unavailable
 */
export async function callFarm(
  env: EdgeEnv,
  farm: string,
  { endpoint: { method, path, scope, budget = 0 }, search, body }: FarmCall,
  { requestId, address, at }: Pick<FleetRequest, 'requestId' | 'address' | 'at'>,
  within = budget + usualBudget,
): Promise<FarmReply> {
  const request = new Request(`https://farm.invalid${path}?${search}`, {
    method,
    headers: {
      [fleetKeyHeader]: scope ?? 'read',
      [addressHeader]: address,
      [askedAtHeader]: String(at),
      'X-Request-Id': requestId,
      'Content-Type': 'application/json',
    },
    ...(body !== undefined && { body }),
  })
  const answered = askFarm(env.FARM.getByName(fleetFarm(farm)), request, edgeLog(env.LOG_LEVEL, farm))
  return withTimeLimit(
    within,
    answered.then(async (answer) => {
      const read = await bodyText(answer.body, maxAnswer)
      const json = 'text' in read ? foreignValue(read.text) : undefined
      if (answer.ok) return { json }
      const status = { error: `The farm answered ${answer.status}`, code: 'bad_game_response' }
      return { refused: v.parse(v.fallback(refusal, status), json) }
    }),
    () =>
      new Problem('game_timeout', `No answer within ${within / 1000} s; whether it was done is unknown`, {
        isRepeatUnsafe: true,
      }),
  )
}

/** At the farm's object. @param now milliseconds since 1970 @returns the answer to such a call that comes too late */
export function refusedLate({ headers }: Request, now: number): Response | undefined {
  const at = headers.get(askedAtHeader)
  if (at === null || !isLate(Number(at), now)) return undefined
  const problem = new Problem('game_unavailable', tooLate, { retryAfter })
  return problemResponse(problem, requestIdOf(headers.get('x-request-id')) ?? '')
}
