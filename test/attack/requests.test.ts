/** Every method on every path, with every kind of key and origin, on Node and in workerd. */
import { describe, expect, test } from 'vitest'
import type { Endpoint } from '../../handlers/endpoint.ts'
import { endpoints } from '../../handlers/endpoints/all-endpoints.ts'
import { type ProblemCode, statusOf } from '../../handlers/problem-table.ts'
import { interactionsPath } from '../../services/discord/signed-commands.ts'
import { type StartServer, suiteKey } from '../contract/server-under-test.ts'
import { sharedServer } from '../contract/shared-server.ts'
import { discordKey } from '../discord/signed.ts'
import { platformServer } from '../edge/edge-server.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { type Sent, send } from './requests/send.ts'

/** Paths that are not endpoints; none of them has parameters, and all but that of Discord have only the method GET. */
const documents = {
  '/metrics': 'key',
  '/ws': 'public',
  '/docs': 'public',
  '/openapi.json': 'public',
  '/swagger/v1/swagger.json': 'public',
  '/asyncapi.json': 'public',
  [interactionsPath]: 'public',
} as const
const isDocument = (path: string): path is keyof typeof documents => Object.hasOwn(documents, path)
const methodOf = (path: keyof typeof documents) => (path === interactionsPath ? 'POST' : 'GET')

/** Requests to these are always answered by 401 or 404. */
const unknown = ['/nothing', '/Players', '/players//', '/players%20', '/__proto__', '/wait', '/status.json']

const methods = ['GET', 'HEAD', 'POST', 'DELETE', 'PUT', 'PATCH', 'OPTIONS', 'TRACE'] as const
const paths = [...new Set(endpoints.map(({ path }) => path as string)), ...Object.keys(documents), ...unknown]
const keys = ['right', 'wrong', 'twice', 'none'] as const
const origins = ['none', 'own', 'allowed', 'foreign'] as const

interface Asked {
  readonly method: (typeof methods)[number]
  readonly path: string
  readonly key: (typeof keys)[number]
  readonly origin: (typeof origins)[number]
}

interface Expected {
  readonly statuses: readonly number[]
  /** The code in the body of an error; undefined where several are possible. */
  readonly code?: string
  readonly allow?: string
  /** `Access-Control-Allow-Origin` */
  readonly allowOrigin?: string
  readonly vary?: 'Origin'
}

const at = (path: string): readonly Endpoint[] => endpoints.filter((endpoint) => endpoint.path === path)
const allowOf = (path: string) =>
  (isDocument(path) ? [methodOf(path)] : at(path).map(({ method }) => method))
    .flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    .join(', ')

/**
 * @param allowedOrigin the origin in `ALLOWED_ORIGINS`
 * @param place at the edge the Worker itself refuses requests that Discord has not signed, from any page
 */
function expectedOf(asked: Asked, allowedOrigin: string, place: 'here' | 'edge'): Expected {
  const { path, origin } = asked
  const method = asked.method === 'HEAD' ? 'GET' : asked.method
  if (place === 'edge' && path === interactionsPath && method === 'POST') return refused('unauthorized')
  const endpoint = at(path).find((one) => one.method === method)
  const anyOrigin = endpoint?.anyOrigin === true
  const allowOrigin = origin === 'allowed' ? allowedOrigin : anyOrigin ? '*' : undefined
  return {
    vary: 'Origin',
    ...answerTo({ ...asked, method }, endpoint),
    ...(allowOrigin !== undefined && { allowOrigin }),
  }
}

function answerTo({ method, path, key, origin }: Asked, endpoint: Endpoint | undefined): Expected {
  const isKnown = isDocument(path) || at(path).length > 0
  if (method === 'OPTIONS' && (origin === 'allowed' || isKnown))
    return { statuses: [204], ...(origin !== 'allowed' && { allow: allowOf(path) }) }
  const isRead = method === 'GET' || method === 'OPTIONS'
  if (!isRead && origin === 'foreign') return refused('origin_not_allowed')
  if (key !== 'right' && accessOf(path, endpoint) === 'key') return refused('unauthorized')
  if (!isKnown) return refused('not_found')
  if (isDocument(path) ? method !== methodOf(path) : endpoint === undefined)
    return { ...refused('method_not_allowed'), allow: allowOf(path) }
  if (path === '/ws') return refused('upgrade_required')
  if (path === interactionsPath) return refused('unauthorized')
  return endpoint === undefined ? { statuses: [200] } : outcomesOf(endpoint)
}

const refused = (code: ProblemCode): Expected => ({ statuses: [statusOf(code)], code })

function accessOf(path: string, endpoint: Endpoint | undefined): 'public' | 'key' {
  if (isDocument(path)) return documents[path]
  if (endpoint !== undefined) return endpoint.access
  return at(path).some(({ access }) => access === 'public') ? 'public' : 'key'
}

/**
 * For a request without parameters or body: 415 if a body is required, 400 if a parameter is, otherwise its status or a
 * problem that the endpoint declares.
 */
function outcomesOf({ parameters, problems, body, upload, status }: Endpoint): Expected {
  if ((body?.type !== undefined && !body.isOptional) || upload !== undefined)
    return refused('unsupported_media_type')
  const all = Object.values(parameters)
  if (all.some(({ required }) => required)) return refused('invalid_parameter')
  // `name` or `playerId`: neither is required alone, but one of the two is.
  if ('name' in parameters && 'playerId' in parameters) return refused('invalid_parameter')
  return { statuses: [status ?? 200, ...problems.map((code) => statusOf(code))] }
}
const allowedOrigin = 'https://panel.example'
const right = `Bearer ${suiteKey}`
const authorizations = { right, wrong: 'Bearer wrong', twice: [right, right], none: undefined }

const discord = { publicKey: discordKey, apiUrl: 'http://127.0.0.1:1/api/v10' }

/**
 * A quarter of all requests to a path: each method has each key and each origin, all methods together have each pair of
 * them, and four neighbouring paths have everything.
 */
const requestsTo = (path: string) =>
  methods.flatMap((method) =>
    keys.flatMap((key) =>
      origins
        .map((origin): Asked => ({ method, path, key, origin }))
        .filter(
          ({ origin }) =>
            (paths.indexOf(path) + methods.indexOf(method) + keys.indexOf(key) + origins.indexOf(origin)) %
              4 ===
            0,
        ),
    ),
  )

function requestSuite(name: string, start: StartServer, place: 'here' | 'edge'): void {
  describe(name, () => {
    const server = sharedServer(start, { allowedOrigins: [allowedOrigin], discord })
    const originOf = (origin: Asked['origin']) =>
      ({
        none: undefined,
        own: server().url,
        allowed: allowedOrigin,
        foreign: 'http://evil.example',
      })[origin]

    async function ask({ method, path, key, origin }: Asked): Promise<Sent> {
      const headers = { Origin: originOf(origin), Authorization: authorizations[key] }
      const sent = Object.entries(headers).flatMap(([header, value]) =>
        value === undefined ? [] : [[header, value] as const],
      )
      return send(server().url, method, path, Object.fromEntries(sent))
    }

    test.each(paths)('%s', async (path) => {
      const all = requestsTo(path)
      const answers = await Promise.all(all.map(ask))
      all.forEach((asked, at) => void expectAnswer(asked, place, answers[at]))
    })
  })
}

/** Status, code, `Allow`, CORS and the headers that every answer has. */
function expectAnswer(asked: Asked, place: 'here' | 'edge', answer: Sent | undefined): void {
  const { status = 0, headers = {}, json } = answer ?? {}
  const { statuses, code, allow, allowOrigin, vary } = expectedOf(asked, allowedOrigin, place)
  const isProblem = status >= 400 && asked.method !== 'HEAD' && status !== 408
  expect({
    ...asked,
    status,
    allow: status === 405 || status === 204 ? headers.allow : undefined,
    allowOrigin: headers['access-control-allow-origin'],
    problem: isProblem ? json : undefined,
    vary: headers.vary,
    sniffing: headers['x-content-type-options'],
    requestId: headers['x-request-id'],
  }).toEqual({
    ...asked,
    status: expect.toBeOneOf([...statuses]),
    allow,
    allowOrigin,
    problem: isProblem
      ? expect.objectContaining({ success: false, code: code ?? expect.stringMatching(/^[a-z_]+$/) })
      : undefined,
    vary,
    sniffing: 'nosniff',
    requestId: expect.stringMatching(/\S/),
  })
}

requestSuite('on Node', nodeServer, 'here')
requestSuite('in workerd', platformServer, 'edge')
