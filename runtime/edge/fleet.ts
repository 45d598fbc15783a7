/** The fleet's API (docs/edge.md): creates, lists and revokes farms; every request needs `FLEET_KEY`. */

import { timingSafeEqual } from 'node:crypto'
import * as v from 'valibot'
import type { FleetChange } from '../../handlers/audit-entry.ts'
import type { FleetEndpoint, JsonBody } from '../../handlers/endpoint.ts'
import { createKey } from '../../handlers/endpoints/create-key.ts'
import { fleetEndpoints } from '../../handlers/endpoints/fleet-endpoints.ts'
import { makeDashboardLink } from '../../handlers/endpoints/make-dashboard-link.ts'
import { lostAnswer } from '../../handlers/farm-error.ts'
import { type Fleet, farmName } from '../../handlers/fleet.ts'
import { readBody } from '../../handlers/json-body.ts'
import type { KeyRequest } from '../../handlers/key-record.ts'
import { readExactQuery } from '../../handlers/parameter.ts'
import { Problem, problemOf, retryAfter } from '../../handlers/problem.ts'
import { foreignValue } from '../../lib/foreign/read.ts'
import { stringifyJson } from '../../lib/json.ts'
import { bearerKey, digestOf } from '../../lib/keys.ts'
import { onceAMinute } from '../../lib/once-a-minute.ts'
import { withTimeLimit } from '../../lib/time-limit.ts'
import { isTooLate, lateAfter, tooLate } from '../../services/fleet/change-order.ts'
import type { FleetRequest } from '../../services/fleet/farm-call.ts'
import { type Answer, resultAnswer } from '../http/answer.ts'
import { readBody as readText, requireJson } from '../http/body.ts'
import { methodNotAllowed } from '../http/methods.ts'
import { searchOf } from '../http/target.ts'
import { keyNotAccepted, noKeyFound } from '../http/unauthorized.ts'
import { configOf } from './config.ts'
import type { EdgeEnv } from './env.ts'
import { digestOfSecret } from './farm-keys.ts'
import { callFarm } from './fleet-call.ts'
import { tooManyReplaced } from './key-store.ts'
import { edgeLog } from './log.ts'

/** Milliseconds for the farm itself, shorter, so that a slow farm is not taken for a broken fleet. */
const farmWithin = 7000
/** Milliseconds. */
const linkLasts = 60 * 60_000
/** Milliseconds by which the clocks of a farm and the edge may differ. */
const clocksDiffer = 5 * 60_000
const noAnswer = () => new Error('no answer in time')

const throttled = onceAMinute(
  ({ level, address }: { readonly level: string | undefined; readonly address: string }, times) =>
    edgeLog(level).warn({ address, times }, 'too many wrong fleet keys'),
  () => performance.now(),
)

/** Paths below `/farms/` that are not farms. */
const reserved: readonly string[] = ['actions', 'targets']

/**
 * A farm that was created under a name before it was reserved can still be deleted.
 * @throws {Problem} invalid_parameter
 */
export function checkFarmName(farm: string, method: string): void {
  if (reserved.includes(farm) && method !== 'DELETE')
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
async function checkFleetKey(request: Request, env: EdgeEnv, address: string): Promise<void> {
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

/** The body of the call that makes the key of a dashboard link. */
const dashboardKey = stringifyJson({
  name: 'Fleet dashboard link',
  scopes: ['admin'],
  expiresInMinutes: linkLasts / 60_000,
} satisfies KeyRequest)

/** The fleet, as its endpoints use it. */
function fleetOf(env: EdgeEnv, { host, origin }: URL, asked: FleetRequest): Fleet {
  const fleet = fleetObject(env)
  /** A deleted farm may never get this row of the audit. */
  const logChange = (farm: string, action: FleetChange['action'] | 'makeDashboardLink') => {
    const { requestId, address } = asked
    edgeLog(env.LOG_LEVEL, farm).info({ requestId, address, action }, 'the fleet was changed')
  }
  return {
    address: { host, basePath: configOf(env).basePath },
    list: () => fleet.list(),
    async create(farm) {
      const [apiKey, linkKey] = [newKey(), newKey()]
      const digests = { api: digestOf(apiKey), link: digestOf(linkKey) }
      if (!(await fleet.change({ what: 'create', farm, digests, asked })).isDone) return undefined
      logChange(farm, 'createFarm')
      return { apiKey, linkKey }
    },
    async rotate(farm, rotate, overlapMinutes) {
      const apiKey = rotate === 'link' ? undefined : newKey()
      const linkKey = rotate === 'api' ? undefined : newKey()
      const oldEndsAt = overlapMinutes ? asked.at + overlapMinutes * 60_000 : undefined
      const digests = {
        ...(apiKey && { api: digestOf(apiKey) }),
        ...(linkKey && { link: digestOf(linkKey) }),
      }
      const parameters = { rotate, ...(overlapMinutes !== undefined && { overlapMinutes }) }
      const overlap = oldEndsAt === undefined ? {} : { oldEndsAt }
      const wish = { what: 'rotate', farm, digests, ...overlap, asked: { ...asked, parameters } } as const
      if (!(await fleet.change(wish)).isDone) return undefined
      logChange(farm, 'replaceFarmKeys')
      return {
        ...(apiKey && { apiKey }),
        ...(linkKey && { linkKey }),
        ...(oldEndsAt !== undefined && { oldKeysEndAt: new Date(oldEndsAt).toISOString() }),
      }
    },
    note: async (farm, notes) => (await fleet.change({ what: 'note', farm, notes, asked })).entry,
    async beginAction(request) {
      const { id } = await fleet.change({ what: 'act', request, asked })
      const { requestId, address } = asked
      const { action } = request
      if (id !== undefined)
        edgeLog(env.LOG_LEVEL).info({ requestId, address, action, id }, 'an action at many farms begins')
      return id
    },
    action: (id) => fleet.action(id),
    actions: () => fleet.actions(),
    async dashboardLink(farm) {
      if ((await fleet.entry(farm)) === undefined) return undefined
      const call = { endpoint: createKey, search: '', body: dashboardKey }
      const reply = await callFarm(env, farm, call, asked, farmWithin)
      if ('refused' in reply) {
        const { code, error } = reply.refused
        // A farm cannot refuse the fleet key, as `unauthorized` would say.
        const known = makeDashboardLink.problems.find((one) => one === code)
        throw new Problem(known ?? 'bad_game_response', error)
      }
      const { key, expiresAt = '', ...made } = v.parse(createKey.result, reply.json)
      if (!(Math.abs(Date.parse(expiresAt) - asked.at - linkLasts) < clocksDiffer))
        throw new Problem(
          'bad_game_response',
          "The farm's clock and the edge's differ by more than five minutes; set the farm's clock",
        )
      logChange(farm, 'makeDashboardLink')
      const url = `${origin}${configOf(env).basePath}/farms/${farm}/#key=${key}`
      return { url, expiresAt, ...(made.stored && { stored: made.stored }) }
    },
    async remove(farm) {
      const { isDone: wasThere } = await fleet.change({ what: 'revoke', farm, asked })
      if (wasThere) logChange(farm, 'deleteFarm')
      return wasThere
    },
  }
}

/**
 * Answers a call of the fleet's API.
 * @param path as the endpoints name it
 * @param farm the farm in the path; empty without one
 * @throws {Problem} unauthorized, rate_limited, method_not_allowed, and those of the endpoint
 */
export async function fleetAnswer(
  request: Request,
  env: EdgeEnv,
  path: FleetEndpoint['path'],
  farm: string,
  { requestId, address }: Pick<FleetRequest, 'requestId' | 'address'>,
): Promise<Answer> {
  await checkFleetKey(request, env, address)
  const method = request.method === 'HEAD' ? 'GET' : request.method
  const endpoint = fleetEndpoints.find((one) => one.path === path && one.method === method)
  if (endpoint === undefined) throw methodNotAllowed(methodsAt(path))
  const query = readExactQuery(endpoint.parameters, searchOf(request.url))
  const body = endpoint.body && (await bodyOf(request, endpoint.body))
  const fleet = fleetOf(env, new URL(request.url), {
    requestId,
    address,
    parameters: {},
    at: Date.now(),
  })
  const result = await withTimeLimit(
    lateAfter,
    endpoint.handle({ farm, query, body }, fleet),
    noAnswer,
  ).catch((error: unknown) => {
    if (error instanceof Problem) throw error
    if (error instanceof Error && error.message === tooManyReplaced)
      throw new Problem('rate_limited', tooManyReplaced, { retryAfter: 60 })
    edgeLog(env.LOG_LEVEL).error({ requestId, cause: String(error) }, 'the fleet object did not answer')
    const isLate = isTooLate(error)
    // Each request begins something more, and this one may have.
    if (method === 'POST' && !isLate) throw problemOf(lostAnswer('write'))
    const sentence = isLate
      ? tooLate
      : 'The list of farms is not reachable; a change may be incomplete, so repeat it'
    throw new Problem('game_unavailable', sentence, { retryAfter })
  })
  const status = endpoint.existed?.(result, query) === true ? 200 : (endpoint.status ?? 200)
  return { ...resultAnswer(result), status }
}

const methodsAt = (path: string) =>
  fleetEndpoints
    .filter((one) => one.path === path)
    .map(({ method }) => (method === 'GET' ? 'GET, HEAD' : method))
    .join(', ')

/** @throws {Problem} unsupported_media_type, payload_too_large, malformed_request, invalid_parameter */
async function bodyOf(request: Request, described: JsonBody<unknown>): Promise<unknown> {
  if (described.type !== undefined) requireJson(request.headers.get('content-type') ?? undefined)
  const text = await readText(request, described.maxBytes)
  return readBody(described, foreignValue(text), text.trim() === '')
}
