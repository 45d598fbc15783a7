/** The fleet's API (docs/edge.md): creates, lists and revokes farms; every request needs `FLEET_KEY`. */
import { timingSafeEqual } from 'node:crypto'
import type { FleetChange } from '../../handlers/audit-entry.ts'
import { integer, optional, type Parameters, readExactQuery } from '../../handlers/parameter.ts'
import { Problem } from '../../handlers/problem.ts'
import { bearerKey, digestOf } from '../../lib/keys.ts'
import { onceAMinute } from '../../lib/once-a-minute.ts'
import { type Answer, resultAnswer } from '../http/answer.ts'
import { keyNotAccepted, noKeyFound } from '../http/unauthorized.ts'
import { configOf } from './config.ts'
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

/** Paths below `/farms/` that are not farms. */
const reserved: readonly string[] = ['actions', 'targets']

/** @throws {Problem} invalid_parameter */
export function checkFarmName(farm: string): void {
  if (reserved.includes(farm))
    throw new Problem('invalid_parameter', `A farm cannot be called ${reserved.join(' or ')}`, {
      parameter: 'farm',
    })
  if (!farmName.test(farm))
    throw new Problem(
      'invalid_parameter',
      'A farm name has 1 to 63 of a-z, 0-9 and -, and does not begin with -',
      { parameter: 'farm' },
    )
}

const authorizationOf = ({ headers }: Request) => headers.get('authorization') ?? undefined

/** Whether the request has the fleet key; one without it is not counted. */
export function hasFleetKey(request: Request, env: EdgeEnv): boolean {
  const digest = digestOfSecret(env.FLEET_KEY)
  const shown = bearerKey(authorizationOf(request))
  return digest !== undefined && shown !== undefined && timingSafeEqual(digestOf(shown), digest)
}

/** @throws {Problem} unauthorized, rate_limited */
export async function checkFleetKey(request: Request, env: EdgeEnv, address: string): Promise<void> {
  const authorization = authorizationOf(request)
  if (bearerKey(authorization) === undefined) throw noKeyFound(authorization, '<fleet-key>')
  if (hasFleetKey(request, env)) return
  if (digestOfSecret(env.FLEET_KEY) !== undefined) {
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

const rotations = ['api', 'link', 'all'] as const

/** Query of a `PUT` that gives an existing farm new keys. */
const rotation = {
  rotate: optional({
    read: (text: string) => rotations.find((one) => one === text),
    expected: 'api, link or all',
    description: 'Which key is replaced',
    required: true,
    schema: { enum: rotations },
  }),
  overlapMinutes: optional(
    integer(0, 7 * 24 * 60, { description: 'For how long the replaced key is still good' }),
  ),
} as const satisfies Parameters

/**
 * Creates a farm (201, with its keys) or leaves an existing one as it is (200, without); with `rotate` it gives an
 * existing one new keys (200). An answer with keys is the only one that shows them.
 * @param search the query, without its `?`
 * @throws {Problem} invalid_parameter; not_found for `rotate` when there is no such farm
 */
export async function putFarm(
  env: EdgeEnv,
  farm: string,
  search: string,
  asked: FleetRequest,
): Promise<Answer> {
  const { rotate, overlapMinutes } = readExactQuery(rotation, search)
  if (rotate !== undefined) return rotateKeys(env, farm, rotate, overlapMinutes, asked)
  if (overlapMinutes !== undefined)
    throw new Problem('invalid_parameter', "'overlapMinutes' needs 'rotate': api, link or all", {
      parameter: 'overlapMinutes',
    })
  const [apiKey, linkKey] = [newKey(), newKey()]
  const digests = { api: digestOf(apiKey), link: digestOf(linkKey) }
  if (!(await fleetObject(env).create(farm, digests, asked))) return resultAnswer({ farm, created: false })
  logChange(env, farm, asked, 'createFarm')
  return { ...resultAnswer({ farm, apiKey, linkKey }), status: 201 }
}

async function rotateKeys(
  env: EdgeEnv,
  farm: string,
  rotate: (typeof rotations)[number],
  overlapMinutes: number | undefined,
  asked: FleetRequest,
): Promise<Answer> {
  const apiKey = rotate === 'link' ? undefined : newKey()
  const linkKey = rotate === 'api' ? undefined : newKey()
  const oldEndsAt = overlapMinutes ? asked.at + overlapMinutes * 60_000 : undefined
  const digests = { ...(apiKey && { api: digestOf(apiKey) }), ...(linkKey && { link: digestOf(linkKey) }) }
  const parameters = { rotate, ...(overlapMinutes !== undefined && { overlapMinutes }) }
  if (!(await fleetObject(env).rotate(farm, digests, { ...asked, parameters }, oldEndsAt)))
    throw noSuchFarm(farm)
  logChange(env, farm, asked, 'replaceFarmKeys')
  return resultAnswer({
    farm,
    ...(apiKey && { apiKey }),
    ...(linkKey && { linkKey }),
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

/**
 * Deletes a farm and everything that is stored about it, and closes its sockets.
 * @param search the query, without its `?`
 * @throws {Problem} not_found; invalid_parameter for any query
 */
export async function revokeFarm(
  env: EdgeEnv,
  farm: string,
  search: string,
  asked: FleetRequest,
): Promise<Answer> {
  readExactQuery({}, search)
  if (!(await fleetObject(env).revoke(farm, asked))) throw noSuchFarm(farm)
  logChange(env, farm, asked, 'deleteFarm')
  return resultAnswer({ success: true })
}

/** @param search the query, without its `?` @throws {Problem} invalid_parameter for any query */
export async function listFarms(env: EdgeEnv, search: string): Promise<Answer> {
  readExactQuery({}, search)
  return resultAnswer({ farms: await fleetObject(env).list() })
}

/**
 * The farms as Prometheus's HTTP service discovery reads them.
 * @param host of this request, with its port
 * @param search the query, without its `?`
 * @throws {Problem} invalid_parameter for any query
 */
export async function farmTargets(env: EdgeEnv, host: string, search: string): Promise<Answer> {
  readExactQuery({}, search)
  const { basePath } = configOf(env)
  const farms: readonly { readonly farm: string }[] = await fleetObject(env).list()
  return resultAnswer(
    farms.map(({ farm }) => ({
      targets: [host],
      labels: { __metrics_path__: `${basePath}/farms/${farm}/metrics`, farm },
    })),
  )
}
