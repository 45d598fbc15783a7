/** Calls of a farm's endpoints with the fleet key: the farm's audit names it. */

import * as v from 'valibot'
import type { FleetChange } from '../../handlers/audit-entry.ts'
import { Problem } from '../../handlers/problem.ts'
import { bodyText } from '../../lib/foreign/body-text.ts'
import { foreignValue } from '../../lib/foreign/read.ts'
import { withTimeLimit } from '../../lib/time-limit.ts'
import type { FarmCall, FarmReply } from '../../services/fleet/farm-call.ts'
import { askFarm } from './ask-farm.ts'
import { addressHeader, fleetKeyHeader } from './caller.ts'
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
  { requestId, address }: Pick<FleetChange, 'requestId' | 'address'>,
  within = budget + usualBudget,
): Promise<FarmReply> {
  const request = new Request(`https://farm.invalid${path}?${search}`, {
    method,
    headers: {
      [fleetKeyHeader]: scope ?? 'read',
      [addressHeader]: address,
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
