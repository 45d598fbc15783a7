/** The fleet's API (docs/edge.md): creates, lists and revokes farms; every request needs `FLEET_KEY`. */
import { timingSafeEqual } from 'node:crypto'
import type { FleetChange } from '../../handlers/audit-entry.ts'
import { integer, optional, type Parameters, readQuery } from '../../handlers/parameter.ts'
import { Problem } from '../../handlers/problem.ts'
import { bearerKey, digestOf } from '../../lib/keys.ts'
import { onceAMinute } from '../../lib/once-a-minute.ts'
import { type Answer, resultAnswer } from '../http/answer.ts'
import { keyNotAccepted, noKeyFound } from '../http/unauthorized.ts'
import type { EdgeEnv } from './env.ts'
import { digestOfSecret } from './farm-keys.ts'
import { edgeLog } from './log.ts'

/** A request to the fleet's API that has the right key. */
export interface FleetRequest extends Pick<FleetChange, 'requestId' | 'address' | 'parameters'> {
  /** When it came, milliseconds since 1970. */
  readonly at: number
}

const throttled = onceAMinute(
  ({ level, address }: { readonly level: string | undefined; readonly address: string }, times) =>
    edgeLog(level).warn({ address, times }, 'too many wrong fleet keys'),
  () => performance.now(),
)

export const farmName = /^[a-z0-9][a-z0-9-]{0,62}$/

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
  const authorization = request.headers.get('authorization') ?? undefined
  const shown = bearerKey(authorization)
  if (shown === undefined) throw noKeyFound(authorization, '<fleet-key>')
  if (digest !== undefined) {
    if (timingSafeEqual(digestOf(shown), digest)) return
    const { success } = await env.FLEET_KEY_LIMIT.limit({ key: address })
    if (!success) {
      throttled({ address, level: env.LOG_LEVEL })
      throw new Problem('rate_limited', 'Too many wrong keys; try again in a minute', { retryAfter: 60 })
    }
  }
  throw keyNotAccepted()
}

export const fleetObject = (env: EdgeEnv) => env.FLEET.getByName('fleet')

/** A key: 32 random bytes as base64url. */
const newKey = () => {
  const bytes = crypto.getRandomValues(new Uint8Array(32))
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

/** Query of a `PUT` that gives an existing farm new keys. */
const rotation = {
  rotate: optional({
    read: (text: string) => (text === 'api' || text === 'link' ? text : undefined),
    expected: 'api or link',
    description: 'Which key is replaced; both unless given',
    required: true,
    schema: { enum: ['api', 'link'] },
  }),
  overlapMinutes: optional(
    integer(0, 7 * 24 * 60, { description: 'For how long the replaced key is still good' }),
  ),
} as const satisfies Parameters

/**
 * Creates a farm (201), or gives an existing one new keys (200). This answer is the only one that shows them.
 * @param search the query, without its `?`
 * @throws {Problem} invalid_parameter; not_found when there is a query and no such farm
 */
export async function createFarm(
  env: EdgeEnv,
  farm: string,
  search: string,
  asked: FleetRequest,
): Promise<Answer> {
  const { rotate, overlapMinutes } = readQuery(rotation, search)
  const apiKey = rotate === 'link' ? undefined : newKey()
  const linkKey = rotate === 'api' ? undefined : newKey()
  const shown = { farm, ...(apiKey && { apiKey }), ...(linkKey && { linkKey }) }
  if (rotate === undefined && overlapMinutes === undefined && apiKey && linkKey) {
    const digests = { api: digestOf(apiKey), link: digestOf(linkKey) }
    const isNew = await fleetObject(env).create(farm, digests, asked)
    logChange(env, farm, asked, isNew ? 'createFarm' : 'replaceFarmKeys')
    return { ...resultAnswer(shown), status: isNew ? 201 : 200 }
  }
  const oldEndsAt = overlapMinutes ? asked.at + overlapMinutes * 60_000 : undefined
  const digests = { ...(apiKey && { api: digestOf(apiKey) }), ...(linkKey && { link: digestOf(linkKey) }) }
  const parameters = { ...(rotate && { rotate }), ...(overlapMinutes !== undefined && { overlapMinutes }) }
  if (!(await fleetObject(env).rotate(farm, digests, { ...asked, parameters }, oldEndsAt)))
    throw noSuchFarm(farm)
  logChange(env, farm, asked, 'replaceFarmKeys')
  return resultAnswer({
    ...shown,
    ...(oldEndsAt !== undefined && { oldKeysEndAt: new Date(oldEndsAt).toISOString() }),
  })
}

/** The audit of a farm that was deleted may never be told. */
const logChange = (
  env: EdgeEnv,
  farm: string,
  { requestId, address }: FleetRequest,
  action: FleetChange['action'],
) => edgeLog(env.LOG_LEVEL, farm).info({ requestId, address, action }, 'the fleet was changed')

const noSuchFarm = (farm: string) =>
  new Problem('not_found', `There is no farm ${farm}`, { path: `/farms/${farm}` })

/** Deletes a farm and everything that is stored about it, and closes its sockets. @throws {Problem} not_found */
export async function revokeFarm(env: EdgeEnv, farm: string, asked: FleetRequest): Promise<Answer> {
  if (!(await fleetObject(env).revoke(farm, asked))) throw noSuchFarm(farm)
  logChange(env, farm, asked, 'deleteFarm')
  return resultAnswer({ success: true })
}

export const listFarms = async (env: EdgeEnv): Promise<Answer> =>
  resultAnswer({ farms: await fleetObject(env).list() })
