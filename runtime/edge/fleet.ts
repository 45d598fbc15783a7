/** The fleet's own API (docs/edge.md): creates, lists and revokes farms for whoever holds `FLEET_KEY`. */
import { timingSafeEqual } from 'node:crypto'
import { Problem } from '../../handlers/problem.ts'
import { type Answer, resultAnswer } from '../http/answer.ts'
import { bearerKey, digestOf } from '../http/keys.ts'
import type { EdgeEnv } from './env.ts'
import { digestOfSecret } from './farm-keys.ts'

const farmName = /^[a-z0-9][a-z0-9-]{0,62}$/

/** @throws {Problem} invalid_parameter */
export function checkFarmName(farm: string): void {
  if (!farmName.test(farm))
    throw new Problem(
      'invalid_parameter',
      'A farm name has 1 to 63 of a-z, 0-9 and -, and does not begin with -',
      { parameter: 'farm' },
    )
}

/** @throws {Problem} unauthorized, rate_limited */
export async function checkFleetKey(request: Request, env: EdgeEnv, address: string): Promise<void> {
  const digest = digestOfSecret(env.FLEET_KEY)
  const shown = bearerKey(request.headers.get('authorization') ?? undefined)
  if (digest !== undefined && shown !== undefined) {
    if (timingSafeEqual(digestOf(shown), digest)) return
    const { success } = await env.FLEET_KEY_LIMIT.limit({ key: address })
    if (!success)
      throw new Problem('rate_limited', 'Too many wrong keys; try again in a minute', { retryAfter: 60 })
  }
  throw new Problem('unauthorized', 'Unauthorized. Provide a valid Authorization header: Bearer <fleet-key>')
}

const fleetObject = (env: EdgeEnv) => env.FLEET.getByName('fleet')

/** 32 random bytes, base64url. */
const newKey = () => {
  const bytes = crypto.getRandomValues(new Uint8Array(32))
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

/** Creates a farm (201), or gives an existing one new keys (200). This answer is the only one that shows them. */
export async function createFarm(env: EdgeEnv, farm: string, now: Date): Promise<Answer> {
  const keys = { apiKey: newKey(), linkKey: newKey() }
  const digests = { api: digestOf(keys.apiKey), link: digestOf(keys.linkKey) }
  const isNew = await fleetObject(env).create(farm, digests, now.toISOString())
  return { ...resultAnswer({ farm, ...keys }), status: isNew ? 201 : 200 }
}

/** Deletes a farm and what is stored of it, and closes its sockets. @throws {Problem} not_found */
export async function revokeFarm(env: EdgeEnv, farm: string): Promise<Answer> {
  if (!(await fleetObject(env).revoke(farm)))
    throw new Problem('not_found', `There is no farm ${farm}`, { path: `/farms/${farm}` })
  return resultAnswer({ success: true })
}

export const listFarms = async (env: EdgeEnv): Promise<Answer> =>
  resultAnswer({ farms: await fleetObject(env).list() })
