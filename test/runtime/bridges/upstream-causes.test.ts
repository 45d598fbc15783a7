/** What the log and callers learn about a game server that cannot be used: its address and the cause. */
import { createServer as createPlainServer } from 'node:http'
import { createServer } from 'node:https'
import { type AddressInfo, createServer as createSilentServer } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { FailureCause } from '../../../runtime/failure-cause.ts'
import { outageNotices } from '../../../runtime/outage-notices.ts'
import type { GameServer } from '../../game-server/game-server.ts'
import { makeCertificate } from '../../platform/certificate.ts'
import { eventually } from '../../wait.ts'
import { failureOf } from './contract/expectations.ts'
import { upstreamGame } from './upstream-game.ts'

type Options = NonNullable<Parameters<typeof upstreamGame>[0]>

const started = async (options: Options = {}) => {
  const game = await upstreamGame(options)
  onTestFinished(() => game.close())
  const lines = (begin: string) => game.logged.filter(({ message }) => message.startsWith(begin))
  return { ...game, lines }
}

/** A TLS server on loopback with a certificate of its own. @returns its port */
async function tlsServer({ isTrusted = false, madeAt = new Date() } = {}) {
  const { key, cert, remove } = await makeCertificate(madeAt)
  const server = createServer({ key, cert }, (_request, response) => response.end('{}'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const usual = getCACertificates('default')
  if (isTrusted) setDefaultCACertificates([...usual, cert])
  onTestFinished(() => {
    setDefaultCACertificates(usual)
    server.close().closeAllConnections()
    remove()
  })
  return (server.address() as AddressInfo).port
}
/** An HTTP server without routes, which answers malformed requests with 400. @returns its port */
async function plainServer() {
  const server = createPlainServer((_request, response) => response.writeHead(404).end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => server.close().closeAllConnections())
  return (server.address() as AddressInfo).port
}
const longAgo = new Date(Date.UTC(2001, 0, 1))

describe('the log names the address of a game that is away, and the cause', () => {
  test.each<[string, () => Options | Promise<Options>, (server: GameServer) => unknown, string, string]>([
    [
      'connection refused',
      () => ({}),
      (server) => server.down(),
      'connection_refused',
      'the game server is away: connection refused',
    ],
    [
      'no such host name',
      () => ({ urlOf: () => `http://${'a'.repeat(64)}.invalid:8080` }),
      () => undefined,
      'no_such_host',
      'the game server is away: no such host name',
    ],
    [
      'no answer in time',
      () => ({ limits: { look: 100, budgetOf: () => 100 } }),
      ({ faults }) => faults.set({ kind: 'silent' }),
      'no_answer',
      'the game server is away: no answer within 0.1 s',
    ],
    [
      'a reset connection',
      () => ({}),
      ({ faults }) => faults.set({ kind: 'resets' }),
      'connection_lost',
      'the game server is away: the connection was reset',
    ],
    [
      'a certificate that is not trusted',
      async () => {
        const port = await tlsServer()
        return { urlOf: () => `https://127.0.0.1:${port}` }
      },
      () => undefined,
      'certificate',
      'the game server is away: its TLS certificate is not trusted (self-signed, or of an unknown authority)',
    ],
    [
      'an expired certificate',
      async () => {
        const port = await tlsServer({ isTrusted: true, madeAt: longAgo })
        return { urlOf: () => `https://127.0.0.1:${port}` }
      },
      () => undefined,
      'certificate',
      'the game server is away: its TLS certificate has expired',
    ],
    [
      'https where only http is spoken',
      async () => {
        const port = await plainServer()
        return { urlOf: () => `https://127.0.0.1:${port}` }
      },
      () => undefined,
      'no_tls',
      'the game server is away: no TLS is spoken there; the address may need http://',
    ],
    [
      'an answer that is no JSON',
      () => ({}),
      ({ faults }) => faults.set({ kind: 'garbage' }),
      'not_its_api',
      'the game server is away: what answers there is not its API (status 200, application/json, not JSON)',
    ],
    [
      'a page of something else',
      () => ({}),
      ({ faults }) => faults.set({ kind: 'status', status: 500, body: '<h1>Oops</h1>' }),
      'not_its_api',
      'the game server is away: what answers there is not its API (status 500, text/html)',
    ],
    [
      'a proxy without a game behind it',
      () => ({}),
      ({ faults }) => faults.set({ kind: 'status', status: 503, body: '<h1>Down</h1>' }),
      'proxy',
      'the game server is away: a proxy in front of it gets no answer from it (503)',
    ],
    [
      'a start that takes its time',
      () => ({}),
      ({ state }) => {
        state.phase = 'starting'
      },
      'starting',
      'the game server is away: it is starting or busy (503)',
    ],
  ])('%s', async (_what, options, arrange, cause, message) => {
    const { server, lines, bridge } = await started(await options())
    await arrange(server)
    await eventually(() =>
      expect(lines('the game server is away')).toContainEqual({
        level: 'warn',
        fields: { address: expect.stringMatching(/^[^/@]+:\d+$/), cause },
        message,
      }),
    )
    expect(bridge.health().gameAvailable).toBe(false)
  })

  test('without the user name, password, path or key in GAME_API_URL', async () => {
    const { server, logged, lines } = await started({
      key: 'a key of the game',
      urlOf: ({ port }) => `http://miller:hunter2@127.0.0.1:${port}/secret-path`,
    })
    await server.down()
    await eventually(() =>
      expect(lines('the game server is away')[0]?.fields).toMatchObject({
        address: `127.0.0.1:${server.port}`,
      }),
    )
    await eventually(() => expect(lines('chat with the game server is down')).not.toEqual([]))
    expect(JSON.stringify(logged)).not.toMatch(/miller|hunter2|secret-path|a key of the game/)
  })

  test('in one line when it becomes unreachable, and one when it is back, with the length of the outage', async () => {
    const { server, bridge, lines } = await started()
    await eventually(() => expect(bridge.health().gameAvailable).toBe(true))
    await server.down()
    await eventually(() => expect(lines('the game server is away')).toHaveLength(1))
    await server.up()
    await eventually(() =>
      expect(lines('the game server is back')).toEqual([
        {
          level: 'info',
          fields: { address: `127.0.0.1:${server.port}`, awaySeconds: expect.any(Number) },
          message: 'the game server is back',
        },
      ]),
    )
    expect(lines('the game server is away')).toHaveLength(1)
  })

  test('the chat socket is logged too: one line with the cause when it goes down, one when it is back', async () => {
    const { server, bridge, lines } = await started()
    await bridge.sendChat({ author: 'Bot', message: 'hello' })
    await server.down()
    await eventually(() =>
      expect(lines('chat with the game server')).toEqual([
        {
          level: 'warn',
          fields: { address: `127.0.0.1:${server.port}`, cause: 'connection_lost' },
          message: 'chat with the game server is down: the connection was reset',
        },
        expect.objectContaining({
          message: 'chat with the game server is down: connection refused',
        }),
      ]),
    )
    await server.up()
    await eventually(() =>
      expect(lines('chat with the game server is back')).toMatchObject([
        { level: 'info', fields: { awaySeconds: expect.any(Number) } },
      ]),
    )
  })
})

describe('the log names the cause when the chat socket is down:', () => {
  test('no answer to the opening of its socket', async () => {
    const silent = createSilentServer((socket) => socket.on('error', () => socket.destroy()))
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as AddressInfo
    onTestFinished(() => void silent.close())
    const { lines } = await started({
      limits: { chatOpensWithin: 100 },
      urlOf: () => `http://127.0.0.1:${port}`,
    })
    await eventually(() =>
      expect(lines('chat with the game server is down')[0]?.message).toBe(
        'chat with the game server is down: no answer within 0.1 s',
      ),
    )
  })

  test('an answer without upgrade, as from a proxy that does not pass WebSockets on', async () => {
    const port = await plainServer()
    const { lines } = await started({ urlOf: () => `http://127.0.0.1:${port}` })
    await eventually(() =>
      expect(lines('chat with the game server is down')[0]?.message).toBe(
        'chat with the game server is down: what answers there is not its API (status 404 to a WebSocket)',
      ),
    )
  })

  test('a key that only the chat socket refuses', async () => {
    const { server, bridge, lines } = await started({ key: 'a key of the game' })
    await bridge.sendChat({ author: 'Bot', message: 'hello' })
    server.state.chatKey = 'another'
    server.chat.drop()
    await eventually(() =>
      expect(lines('chat with the game server is down').map(({ message }) => message)).toContain(
        'chat with the game server is down: it refuses GAME_API_KEY',
      ),
    )
    expect(lines('the game server refuses')).toEqual([])
    expect(bridge.health().gameAvailable).toBe(true)
  })
})

describe('an outage of the game', () => {
  const refused: FailureCause = { code: 'connection_refused', words: 'connection refused' }
  const silent: FailureCause = { code: 'no_answer', words: 'no answer within 2 s' }
  function watched() {
    const told: unknown[] = []
    let now = 0
    const watch = outageNotices({
      elapsed: () => now,
      onAway: ({ code }) => told.push(code),
      onBack: (seconds) => told.push(seconds),
    })
    return { told, watch, pass: (seconds: number) => (now += seconds * 1000) }
  }

  test('is logged again when its cause changes', () => {
    const { told, watch } = watched()
    for (const cause of [refused, refused, silent, silent]) watch.away(cause)
    expect(told).toEqual(['connection_refused', 'no_answer'])
  })

  test('with two alternating causes is logged once a minute for each cause', () => {
    const { told, watch, pass } = watched()
    for (let second = 0; second < 120; second += 1) {
      watch.away(second % 2 === 0 ? refused : silent)
      pass(1)
    }
    expect(told).toHaveLength(4)
  })

  test('ends with a log line that says how many seconds ago the game last answered', () => {
    const { told, watch, pass } = watched()
    watch.back()
    pass(2)
    watch.away(refused)
    pass(40)
    watch.back()
    watch.back()
    expect(told).toEqual([undefined, 'connection_refused', 42])
  })
})

describe('a game that answers 429', () => {
  test('gets no request before its Retry-After is over, and callers get the remaining seconds', async () => {
    const { server, bridge, lines } = await started({ limits: { pollEvery: 3_600_000 } })
    await bridge.players()
    server.faults.set({ kind: 'status', status: 429, body: '{}', headers: { 'retry-after': '30' } })
    const limited = { kind: 'unavailable', because: 'rate_limited', retryAfter: 30 }
    await eventually(async () => expect(await failureOf(bridge.players())).toEqual(limited))
    expect(await failureOf(bridge.setTime(1200))).toEqual(limited)
    const asked = [server.count('GET /players'), server.writesReceived.length]
    expect(await failureOf(bridge.players())).toMatchObject({ because: 'rate_limited' })
    expect(await failureOf(bridge.setTime(1210))).toMatchObject({ because: 'rate_limited' })
    expect([server.count('GET /players'), server.writesReceived.length]).toEqual(asked)
    // Paths that the game did not limit are requested as before.
    server.faults.clear()
    expect((await bridge.settings()).game.farmName).toBe('Junimo')
    expect(lines('the game server limits')).toHaveLength(1)
  })

  test('gets requests again when its Retry-After is over', async () => {
    const { server, bridge } = await started()
    server.faults.set(
      { kind: 'status', status: 429, body: '{}', headers: { 'retry-after': '1' } },
      'GET /players',
    )
    await eventually(async () =>
      expect(await failureOf(bridge.players())).toMatchObject({ because: 'rate_limited', retryAfter: 1 }),
    )
    server.faults.clear()
    await eventually(async () => expect((await bridge.players()).players).toEqual([]))
  })

  test('after wrong keys is still logged as a wrong key', async () => {
    const { server, bridge, lines } = await started({ key: 'a key of the game', bridgeKey: 'another' })
    await eventually(() => expect(lines('the game server refuses GAME_API_KEY')).toHaveLength(1))
    server.faults.set(
      { kind: 'status', status: 429, body: '{}', headers: { 'retry-after': '30' } },
      'GET /settings',
    )
    expect(await failureOf(bridge.settings())).toMatchObject({ kind: 'unavailable', because: 'key_refused' })
  })
})

test.each([401, 403])('a game that answers %i refuses GAME_API_KEY', async (status) => {
  const { server, bridge, lines } = await started({ key: 'a key of the game' })
  await eventually(() => expect(bridge.health().gameAvailable).toBe(true))
  server.faults.set({ kind: 'status', status, body: '{"error":"no"}' }, 'POST /time')
  server.faults.set({ kind: 'status', status, body: '{"error":"no"}' }, 'GET /players')
  expect(await failureOf(bridge.setTime(1200))).toEqual({ kind: 'unavailable', because: 'key_refused' })
  expect(bridge.health().gameAvailable).toBe(false)
  expect(lines('the game server refuses GAME_API_KEY: set it to its own API_KEY')).toMatchObject([
    { level: 'error', fields: { address: `127.0.0.1:${server.port}` } },
  ])
})
