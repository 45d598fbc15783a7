/** Attacks on the set-up in the browser, through the control API, and ticket services that hang or lie. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { RecordsState } from '../../handlers/records.ts'
import { passSetup } from '../../services/ticket-service/pass-setup.ts'
import { ask, askWithKey, expectProblem } from '../contract/request.ts'
import { suiteKey } from '../contract/server-under-test.ts'
import { listening } from '../listening.ts'
import { memoryFarm, memoryOwnRecords } from '../records/memory-records.ts'
import { type NodeServer, nodeServer } from '../runtime/node/node-server.ts'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

const code = Buffer.alloc(32, 7).toString('base64url')
const value = Buffer.alloc(32, 8).toString('base64url')
const withCode = { authorization: `Setup ${code}` }
const paths = [
  ['GET', '/setup'],
  ['POST', '/setup/sign-in'],
  ['POST', '/setup/download'],
  ['POST', '/setup/key'],
] as const

const json =
  (status: number, body: unknown, headers = {}): Answer =>
  (_request, response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(body))
const state: Answer = (request, response) =>
  json(request.method === 'GET' ? 200 : 202, { state: 'sign_in' })(request, response)

/** A ticket service that answers as a test wants, and records what it gets. */
let answer: Answer = state
const heard: Pick<IncomingMessage, 'method' | 'url' | 'headers'>[] = []
const ticket = createServer((request, response) => {
  heard.push({ method: request.method, url: request.url, headers: request.headers })
  answer(request, response)
})
let server: NodeServer
let recordsState: RecordsState = 'ok'

beforeAll(async () => {
  const url = `http://127.0.0.1:${await listening(ticket)}/key-of-the-service`
  const records = { ...memoryOwnRecords().of('local'), state: () => recordsState }
  const setup = passSetup({ url, records, timeout: 500 })
  server = await nodeServer({ basePath: '/farm', server: { setup } })
})
afterAll(async () => {
  await server.stop()
  ticket.closeAllConnections()
  ticket.close()
})
afterEach(() => {
  answer = state
  recordsState = 'ok'
  heard.length = 0
})

describe('nothing in a request chooses where it is sent, or what is sent along', () => {
  const hostile = [
    '/setup?url=http://169.254.169.254/',
    '/setup?host=evil.example&path=/steam/app-ticket',
    '/setup/../steam/app-ticket',
    '/setup/%2e%2e/steam/app-ticket',
    '/setup/sign-in/../../steam/app-ticket',
    '/setup//evil.example/',
    '/setup/@evil.example',
    '/setup%2f..%2fsteam/app-ticket',
    '/setup#@evil.example',
  ]
  test.each(hostile)('%s', async (target) => {
    const reply = await new Promise<string>((resolve) => {
      const socket = connect(server.port, '127.0.0.1', () =>
        socket.write(
          `GET /farm${target} HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: evil.example\r\nConnection: close\r\nAuthorization: Setup ${code}\r\n\r\n`,
        ),
      )
      socket.on('error', () => undefined)
      let text = ''
      socket.on('data', (data) => (text += data))
      socket.on('close', () => resolve(text))
    })
    expect(reply).toMatch(/^HTTP\/1\.1 (200|400|401|404)/)
    for (const { url, headers } of heard) {
      expect(url).toBe('/key-of-the-service/setup')
      expect(JSON.stringify(headers)).not.toContain('evil')
    }
  })

  test('only the code, the cookie of the set-up and the address of the client are sent along: no session, no other header, no body', async () => {
    await ask(server, 'POST', '/setup/sign-in', {
      headers: {
        ...withCode,
        cookie: `farmgate=fs_session; farmgate-setup=${value}; farmgate-setup=other`,
        'x-forwarded-for': '10.0.0.1',
        'proxy-authorization': 'Basic c2VjcmV0',
        te: 'trailers',
        'content-type': 'application/json',
      },
      body: '{"password":"hunter2"}',
    })
    const [{ headers } = { headers: {} }] = heard
    expect(headers).toMatchObject({
      ...withCode,
      cookie: `farmgate-setup=${value}`,
      'x-farmgate-caller': expect.stringMatching(/127\.0\.0\.1$/),
    })
    expect(headers['content-length'] ?? '0').toBe('0')
    const text = JSON.stringify(headers)
    for (const part of ['fs_session', 'other', '10.0.0.1', 'c2VjcmV0', 'trailers', 'hunter2'])
      expect(text).not.toContain(part)
  })

  test.each([`Bearer ${code}`, `Setup ${code}\u00e4`, 'Setup a b', `Setup ${'a'.repeat(200)}`, 'Basic abc'])(
    'the header Authorization is sent along only with a code: %s',
    async (authorization) => {
      await ask(server, 'GET', '/setup', { headers: { authorization } })
      for (const { headers } of heard) expect(headers.authorization).toBeUndefined()
    },
  )
})

describe('a ticket service that hangs, lies or is offline is 503, and nothing of its answer is passed on', () => {
  test.each<[string, Answer]>([
    ['never answers', () => undefined],
    ['never ends its answer', (_request, response) => void response.writeHead(200).write('{"state":')],
    ['ends the connection', (request) => void request.socket.destroy()],
    [
      'answers very much',
      (_request, response) => void response.end(`{"state":"sign_in"}${' '.repeat(20_000)}`),
    ],
    ['answers a page', (_request, response) => void response.end('<script>alert(1)</script>')],
    ['redirects', json(302, {}, { location: 'http://169.254.169.254/' })],
    ['redirects with a good body', json(307, { state: 'sign_in' }, { location: '/steam/app-ticket' })],
    ['answers an unknown state', json(200, { state: 'evil' })],
    ['answers a failure', json(500, { error: 'secret-of-the-service' })],
    ['asks to log in somewhere else', json(407, {}, { 'proxy-authenticate': 'Basic' })],
    [
      'shows a QR code of another site',
      json(200, {
        state: 'waiting',
        qr: { url: 'https://evil.example/q', expiresAt: '2026-01-01T00:00:00Z' },
      }),
    ],
    [
      'shows a QR code that runs a script',
      json(200, { state: 'waiting', qr: { url: 'javascript:alert(1)', expiresAt: '2026-01-01T00:00:00Z' } }),
    ],
    ['answers numbers that are none', json(200, { state: 'downloading', download: { bytes: 'many' } })],
  ])('it %s', async (_what, lie) => {
    answer = lie
    const reply = await ask(server, 'GET', '/setup', { headers: withCode })
    expectProblem(reply, 503, 'ticket_service_unavailable', { retry: true })
    expect(reply.text).not.toMatch(/evil|secret|script/)
    expect(reply.headers.get('location')).toBeNull()
  })

  test('members and headers that are not of the set-up are dropped, cookies too', async () => {
    answer = json(
      200,
      { state: 'sign_in', html: '<b>', url: 'https://evil.example' },
      {
        'set-cookie': ['farmgate=fs_stolen; Path=/', `farmgate-setup=${value}; Path=/; Domain=evil.example`],
        'x-evil': '1',
        'access-control-allow-origin': '*',
        'content-security-policy': 'default-src *',
      },
    )
    const reply = await ask(server, 'GET', '/setup', { headers: withCode })
    expect(reply.json).toEqual({ state: 'sign_in' })
    expect(reply.headers.get('set-cookie')).toBeNull()
    expect(reply.headers.get('x-evil')).toBeNull()
    expect(reply.headers.get('access-control-allow-origin')).toBeNull()
    expect(reply.headers.get('content-security-policy')).toContain("default-src 'none'")
  })

  test.each(paths)('%s %s is 503 while no ticket service listens', async (method, path) => {
    const setup = passSetup({ url: 'http://127.0.0.1:9', records: memoryOwnRecords().of('local') })
    const other = await nodeServer({ server: { setup } })
    expectProblem(await ask(other, method, path, { headers: withCode }), 503, 'ticket_service_unavailable', {
      retry: true,
    })
    await other.stop()
  })
})

describe('its refusals are those of farmgate', () => {
  test.each([
    [401, 'unauthorized'],
    [403, 'other_browser'],
    [404, 'not_found'],
    [409, 'not_signed_in'],
    [429, 'rate_limited'],
  ])('%s is %s', async (status, problem) => {
    answer = json(status, { error: 'secret-of-the-service', code: 'other' })
    for (const [method, path] of paths)
      expectProblem(
        await ask(server, method, path, { headers: withCode }),
        status,
        problem,
        status === 429 ? { retry: true } : {},
      )
  })
})

test.each(paths.slice(1))(
  '%s %s of a page of another origin is 403, and never reaches the ticket service',
  async (method, path) => {
    for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1:1']) {
      const reply = await ask(server, method, path, { headers: { ...withCode, origin } })
      expectProblem(reply, 403, 'origin_not_allowed')
    }
    expect(heard).toEqual([])
  },
)

test('a page of another origin gets no leave to send the code', async () => {
  const reply = await ask(server, 'OPTIONS', '/setup', {
    headers: {
      origin: 'https://evil.example',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'authorization',
    },
  })
  expect(reply.headers.get('access-control-allow-origin')).toBeNull()
})

test('neither an answer nor the page itself can be shown in a frame', async () => {
  for (const path of ['/setup', '/'])
    expect(
      (await ask(server, 'GET', path, { headers: withCode })).headers.get('content-security-policy'),
    ).toMatch(/frame-ancestors 'none'/)
})

test('neither the code nor the cookie is in the log, also after failures', async () => {
  const cookie = `farmgate-setup=${value}`
  const answers = [state, json(401, {}), json(500, {}), json(302, {}), () => undefined]
  for (const one of answers) {
    answer = one
    for (const [method, path] of paths) await ask(server, method, path, { headers: { ...withCode, cookie } })
  }
  const log = JSON.stringify(server.log)
  expect(log).toContain('/setup')
  expect(log).not.toContain(code)
  expect(log).not.toContain(value)
})

describe('the first key', () => {
  /** A farm with its own records, whose keys work on its server. */
  async function farm() {
    const address = ticket.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const own = await memoryFarm(suiteKey)
    const records = own.records.of('local')
    const setup = passSetup({ url: `http://127.0.0.1:${port}`, records })
    return nodeServer({ server: { setup, records, keys: own.keys } })
  }
  const keyOf = (reply: { readonly json: unknown }) => String(Object(reply.json).key)

  test('the browser that has the code gets the first key of a farm, with all scopes and a row in the audit', async () => {
    const made = await farm()
    const reply = await ask(made, 'POST', '/setup/key', { headers: withCode })
    expect(reply.status).toBe(201)
    const headers = { Authorization: `Bearer ${keyOf(reply)}` }
    const own = await ask(made, 'GET', '/keys/own', { headers })
    expect(own.json).toMatchObject({ name: 'First run', scopes: ['admin'] })
    const audit = await askWithKey(made, 'GET', '/audit')
    expect(audit.json).toMatchObject({
      entries: [{ action: 'createKey', key: { name: 'First run' }, outcome: 'done' }],
    })
    expect(audit.text).not.toContain(keyOf(reply))
    await made.stop()
  })

  test('until the key is used, the next one takes its place, because the answer may have been lost', async () => {
    const made = await farm()
    const [first, second] = await Promise.all(
      [1, 2].map(() => ask(made, 'POST', '/setup/key', { headers: withCode })),
    )
    expect([first?.status, second?.status]).toEqual([201, 201])
    expect(Object((await askWithKey(made, 'GET', '/keys')).json).keys).toHaveLength(1)
    await made.stop()
  })

  test('once a key is used, and on a farm that has other keys, no second one is made', async () => {
    const made = await farm()
    const key = keyOf(await ask(made, 'POST', '/setup/key', { headers: withCode }))
    await ask(made, 'GET', '/keys/own', { headers: { Authorization: `Bearer ${key}` } })
    expectProblem(await ask(made, 'POST', '/setup/key', { headers: withCode }), 409, 'keys_exist')
    await made.stop()
    const other = await farm()
    await askWithKey(other, 'POST', '/keys', { json: { name: 'bot', scopes: ['read'] } })
    expectProblem(await ask(other, 'POST', '/setup/key', { headers: withCode }), 409, 'keys_exist')
    await other.stop()
  })

  test.each([401, 403, 404, 500])('no key is made when the ticket service answers %s', async (status) => {
    const made = await farm()
    answer = json(status, {})
    expect((await ask(made, 'POST', '/setup/key', { headers: withCode })).status).toBe(
      status === 500 ? 503 : status,
    )
    expect(Object((await askWithKey(made, 'GET', '/keys')).json).keys).toEqual([])
    await made.stop()
  })
})

test('a key that is in memory only says so: POST /setup/key answers with "stored":"memory"', async () => {
  recordsState = 'failed'
  const made = await ask(server, 'POST', '/setup/key', { headers: withCode })
  expect([made.status, made.json]).toEqual([201, { key: expect.any(String), stored: 'memory' }])
})
