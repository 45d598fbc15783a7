/** What the log and callers learn about a game server that cannot be used: its address and the cause. */
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { GameServer } from '../game-server/game-server.ts'
import { makeCertificate } from '../platform/certificate.ts'
import { eventually } from '../wait.ts'
import { ownGame } from './own-game.ts'
import { plainServer } from './plain-server.ts'
import type { UpstreamGameOptions } from './upstream-game.ts'

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

const longAgo = new Date(Date.UTC(2001, 0, 1))

describe('the log names the address of a game that is away, and the cause', () => {
  test.each<
    [
      string,
      () => UpstreamGameOptions | Promise<UpstreamGameOptions>,
      (server: GameServer) => unknown,
      string,
      string,
    ]
  >([
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
    const { server, lines, bridge } = await ownGame(await options())
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
    const { server, logged, lines } = await ownGame({
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
    const { server, bridge, lines } = await ownGame()
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
    const { server, bridge, lines } = await ownGame()
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
