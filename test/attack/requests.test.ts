/** Every method on every path, with every kind of key and origin, on Node and in workerd. */
import { describe, expect, test } from 'vitest'
import { type StartServer, suiteKey } from '../contract/server-under-test.ts'
import { sharedServer } from '../contract/shared-server.ts'
import { discordKey } from '../discord/signed.ts'
import { edgeServer } from '../edge/edge-server.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { type Asked, expectedOf, keys, methods, origins, paths } from './requests/expected.ts'
import { type Sent, send } from './requests/send.ts'

const allowedOrigin = 'https://panel.example'
const right = `Bearer ${suiteKey}`
const authorizations = { right, wrong: 'Bearer wrong', twice: [right, right], none: undefined }

const discord = { publicKey: discordKey, apiUrl: 'http://127.0.0.1:1/api/v10' }

type Combination = Pick<Asked, 'key' | 'origin'>
const everyCombination = keys.flatMap((key) => origins.map((origin): Combination => ({ key, origin })))

/** A quarter of them: each method has each key and each origin, and all methods of a path together each pair of them. */
const quarterOf = (method: Asked['method']) =>
  everyCombination.filter(
    ({ key, origin }) => (methods.indexOf(method) + keys.indexOf(key) + origins.indexOf(origin)) % 4 === 0,
  )

function requestSuite(
  name: string,
  start: StartServer,
  place: 'here' | 'edge',
  combinationsOf: (method: Asked['method']) => readonly Combination[],
): void {
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
      for (const method of methods) {
        const all = combinationsOf(method).map(({ key, origin }): Asked => ({ method, path, key, origin }))
        const answers = await Promise.all(all.map(ask))
        all.forEach((asked, at) => void expectAnswer(asked, place, answers[at]))
      }
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

requestSuite('on Node', nodeServer, 'here', () => everyCombination)
// Both runtimes run the same checks; what differs at the edge depends on the method, the path, and one of the other two.
requestSuite('in workerd', edgeServer, 'edge', quarterOf)
