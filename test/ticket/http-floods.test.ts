/** Callers that continue although they are refused (docs/security.md), over real connections. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { expect, onTestFinished, test } from 'vitest'
import {
  acceptedSockets,
  bodyOf,
  everything,
  exchange,
  openStubborn,
  statusOf,
} from '../runtime/node/raw-socket.ts'
import { eventually } from '../wait.ts'
import { fakePlatform } from './fake-platform.ts'
import { httpSetting, listening } from './http-setting.ts'

const key = 'canary-key.~_-0123456789'
const lobby = '{"game_server_steam_id":1,"protocol_version":"1"}'

async function server(limits = {}) {
  const setting = httpSetting(fakePlatform(), key)
  const { port, close } = await listening(setting, limits)
  onTestFinished(close)
  return { ...setting, port }
}

const lines = (...given: readonly string[]) => `${given.join('\r\n')}\r\n\r\n`
/** A request that ends its connection. */
const ask = (first: string, ...headers: readonly string[]) =>
  lines(`${first} HTTP/1.1`, 'Host: x', 'Connection: close', ...headers)
const bearer = `Authorization: Bearer ${key}`
const create =
  lines(
    'POST /steam/lobby/create HTTP/1.1',
    'Host: x',
    'Content-Type: application/json',
    bearer,
    `Content-Length: ${lobby.length}`,
  ) + lobby
const statuses = (answers: string) =>
  Array.from(answers.matchAll(/HTTP\/1\.1 (\d{3}) /g), ([, status]) => Number(status))

const wrong = ask('GET /platform/app-ticket', 'Authorization: Bearer wrong')

test('new connections of an address that continues with wrong keys are refused, and the right key and /health are served', async () => {
  const { port, lines: log } = await server()
  const answers = []
  for (let count = 0; count < 30; count += 1) answers.push(statusOf(await exchange(port, wrong)))
  expect(answers.slice(0, 11)).toEqual([...Array(10).fill(401), 429])
  expect(answers.at(-1)).toBe(429)
  const limited = await exchange(port, wrong)
  expect(JSON.parse(bodyOf(limited))).toMatchObject({ code: 'rate_limited' })
  expect(limited).toMatch(/^retry-after: \d+\r$/im)
  expect(statusOf(await exchange(port, ask('GET /platform/app-ticket', bearer)))).toBe(200)
  expect(statusOf(await exchange(port, ask(`GET //${key}/platform/app-ticket`)))).toBe(200)
  expect(statuses(await exchange(port, create + ask('GET /metrics', bearer)))).toEqual([200, 200])
  expect(statusOf(await exchange(port, ask('GET /health')))).toBe(200)
  expect(log.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ level: 'warn', msg: 'A caller sends wrong keys', count: 1 }),
  ])
})

/** Sends wrong keys until their address has used up its limit. */
async function spend(port: number): Promise<void> {
  for (let count = 0; count < 11; count += 1) await exchange(port, wrong)
}

test('the right key is served in a target that is a whole address, too, after any number of wrong keys from its address', async () => {
  const { port } = await server()
  await spend(port)
  expect(statusOf(await exchange(port, ask(`GET http://ticket:3001/${key}/platform/app-ticket`)))).toBe(200)
  expect(statusOf(await exchange(port, ask('GET http://ticket:3001/wrong/platform/app-ticket')))).toBe(401)
})

test('connections of an address with too many wrong keys count like any others, also silent ones', async () => {
  const { port } = await server({ maxConnections: 3 })
  await spend(port)
  const accepted = acceptedSockets()
  for (let count = 0; count < 20; count += 1) await openStubborn(port)
  await eventually(() => expect(accepted.filter(({ destroyed }) => !destroyed)).toHaveLength(3))
})

test("a refused connection's bytes after its first request are not parsed", async () => {
  const { port } = await server()
  await spend(port)
  let parsed = 0
  const started = () => {
    parsed += 1
  }
  subscribe('http.server.request.start', started)
  onTestFinished(() => void unsubscribe('http.server.request.start', started))
  const socket = await openStubborn(port)
  const answers = everything(socket)
  socket.write(lines('GET /metrics HTTP/1.1', 'Host: x', 'Authorization: Bearer x').repeat(500))
  expect(statuses(await answers)).toEqual([429])
  expect(parsed).toBe(1)
})

test('an invalid request counts as refused: after 600 in a minute it is 429, and the right key is served', async () => {
  const { port, gate } = await server()
  const malformed = { status: 400, body: '' }
  for (let count = 0; count < 599; count += 1) expect(gate.malformed('127.0.0.1', malformed)).toBe(malformed)
  expect(statusOf(await exchange(port, 'hello there\r\n\r\n'))).toBe(400)
  for (const bytes of ['hello there\r\n\r\n', lines('GET /health HTTP/1.1'), ask('CONNECT other:443')]) {
    const limited = await exchange(port, bytes)
    expect(statusOf(limited)).toBe(429)
    expect(JSON.parse(bodyOf(limited))).toMatchObject({ code: 'rate_limited' })
  }
  expect(statusOf(await exchange(port, ask('GET /metrics', bearer)))).toBe(200)
  // Health checks are counted separately.
  expect(statusOf(await exchange(port, ask('GET /health')))).toBe(200)
})

test.each([
  ['no HTTP', 'hello there\r\n\r\n', 400],
  ['no Host', lines('GET /health HTTP/1.1'), 400],
  ['a Host that is none', lines('GET /health HTTP/1.1', 'Host: a b', 'Connection: close'), 400],
  ['CONNECT', ask('CONNECT other:443'), 400],
  ['headers that are too large', ask('GET /health', `X: ${'x'.repeat(40_000)}`), 431],
  ['headers that do not come in time', 'GET /health HTTP/1.1\r\n', 408],
])(
  'a request that is refused before the app counts in ticket_http_requests_total: %s',
  async (_, bytes, status) => {
    const { port, meter } = await server({ headersTimeout: 100 })
    expect(statusOf(await exchange(port, bytes))).toBe(status)
    expect(await meter.text()).toContain(`ticket_http_requests_total{path="other",status="${status}"} 1`)
  },
)

test('a request of an address with too many wrong keys counts in ticket_http_requests_total by its path', async () => {
  const { port, meter } = await server()
  await spend(port)
  await exchange(port, wrong)
  await exchange(port, ask('GET /wp-login.php', 'Authorization: Bearer wrong'))
  const text = await meter.text()
  expect(text).toContain('ticket_http_requests_total{path="/platform/app-ticket",status="429"} 2')
  expect(text).toContain('ticket_http_requests_total{path="other",status="429"} 1')
})
