/** What the log and callers learn about an unusable game server: its address and the cause. */
import { createServer } from 'node:https'
import { createServer as createSilentServer } from 'node:net'
import { describe, expect, test } from 'vitest'
import { systemClock } from '../../../lib/clock.ts'
import { certificate, trust } from '../../certificate.ts'
import type { Fault } from '../../game-server/faults.ts'
import type { GameServer } from '../../game-server/game-server.ts'
import { portOf } from '../../port-of.ts'
import { eventually } from '../../wait.ts'
import { failureOf } from '../contract/expectations.ts'
import { ownGame, reachedGame, still } from '../own-game.ts'
import { plainServer } from '../plain-server.ts'
import { tenthOfBudgets, type UpstreamGameOptions } from '../upstream-game.ts'

/** A TLS server on loopback with its own certificate. @returns its port */
async function tlsServer({ isTrusted = false, madeAt = new Date() } = {}) {
  const made = await certificate(madeAt)
  if (isTrusted) trust(made)
  return portOf(createServer(made, (_request, response) => response.end('{}')))
}

const longAgo = new Date(Date.UTC(2001, 0, 1))

/** @returns the options of a game with this address on loopback */
const at = (scheme: string, port: number) => ({ urlOf: () => `${scheme}://127.0.0.1:${port}` })
const none = () => ({})
const fault =
  (given: Fault) =>
  ({ faults }: GameServer) =>
    faults.set(given)

type Away = readonly [
  why: string,
  options: () => UpstreamGameOptions | Promise<UpstreamGameOptions>,
  arrange: (server: GameServer) => unknown,
  cause: string,
  words: string,
]

const page = (status: number): Fault => ({ kind: 'status', status, body: '<h1>Oops</h1>' })
const offline: readonly Away[] = [
  ['connection refused', none, (server) => server.down(), 'connection_refused', 'connection refused'],
  [
    'no such host name',
    () => ({ urlOf: () => `http://${'a'.repeat(64)}.invalid:8080` }),
    none,
    'no_such_host',
    'no such host name',
  ],
  [
    'no answer in time',
    () => ({ limits: { look: 100, budgetOf: () => 100 } }),
    fault({ kind: 'silent' }),
    'no_answer',
    'no answer within 0.1 s',
  ],
  ['a reset', none, fault({ kind: 'resets' }), 'connection_lost', 'the connection was reset'],
  [
    'a certificate that is not trusted',
    async () => at('https', await tlsServer()),
    none,
    'certificate',
    'its TLS certificate is not trusted (self-signed, or of an unknown authority)',
  ],
  [
    'an expired certificate',
    async () => at('https', await tlsServer({ isTrusted: true, madeAt: longAgo })),
    none,
    'certificate',
    'its TLS certificate has expired',
  ],
  [
    'https where only http is spoken',
    async () => at('https', await plainServer()),
    none,
    'no_tls',
    'no TLS is spoken there; the address may need http://',
  ],
  [
    'an answer that is not JSON',
    none,
    fault({ kind: 'garbage' }),
    'not_its_api',
    'what answers there is not its API (status 200, application/json, not JSON)',
  ],
  [
    'a page of something else',
    none,
    fault(page(500)),
    'not_its_api',
    'what answers there is not its API (status 500, text/html)',
  ],
  [
    'a proxy without a game behind it',
    none,
    fault(page(503)),
    'proxy',
    'a proxy in front of it gets no answer from it (503)',
  ],
  [
    'a start that takes its time',
    none,
    ({ state }) => {
      state.phase = 'starting'
    },
    'starting',
    'it is starting or busy (503)',
  ],
]

describe('the log names the address of an offline game, and the cause', () => {
  test.each(offline)('%s', async (_why, options, arrange, cause, words) => {
    const { server, lines, bridge } = await ownGame(await options())
    await arrange(server)
    await eventually(() =>
      expect(lines('the game server is unreachable')).toContainEqual({
        level: 'warn',
        fields: { address: expect.stringMatching(/^[^/@]+:\d+$/), cause },
        message: `the game server is unreachable: ${words}`,
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
      expect(lines('the game server is unreachable')[0]?.fields).toMatchObject({
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
    await eventually(() => expect(lines('the game server is unreachable')).toHaveLength(1))
    await server.up()
    await eventually(() =>
      expect(lines('the game server is back')).toEqual([
        {
          level: 'info',
          fields: { address: `127.0.0.1:${server.port}`, offlineSeconds: expect.any(Number) },
          message: 'the game server is back',
        },
      ]),
    )
    expect(lines('the game server is unreachable')).toHaveLength(1)
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
        { level: 'info', fields: { offlineSeconds: expect.any(Number) } },
      ]),
    )
  })
})

describe('the log names the cause when the chat socket is down:', () => {
  test('no answer to the opening of its socket', async () => {
    const silent = createSilentServer((socket) => socket.on('error', () => socket.destroy()))
    const port = await portOf(silent)
    const { lines } = await ownGame({
      limits: { chatOpensWithin: 100 },
      urlOf: () => `http://127.0.0.1:${port}`,
    })
    await eventually(() =>
      expect(lines('chat with the game server is down')[0]?.message).toBe(
        'chat with the game server is down: no answer within 0.1 s',
      ),
    )
  })

  test('an answer without upgrade, as from a proxy that does not forward WebSockets', async () => {
    const port = await plainServer()
    const { lines } = await ownGame({ urlOf: () => `http://127.0.0.1:${port}` })
    await eventually(() =>
      expect(lines('chat with the game server is down')[0]?.message).toBe(
        'chat with the game server is down: what answers there is not its API (status 404 to a WebSocket)',
      ),
    )
  })

  test('a key that only the chat socket refuses', async () => {
    const { server, bridge, lines } = await ownGame({ key: 'a key of the game' })
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

/** A monotonic clock that a test moves, with real timers. */
function movableClock() {
  let ahead = 0
  return {
    ...systemClock,
    now: () => Date.now() + ahead,
    monotonic: () => performance.now() + ahead,
    advance(milliseconds: number) {
      ahead += milliseconds
    },
  }
}

const { pollEvery } = still
const limits = { ...tenthOfBudgets, keepFor: 0, pollEvery, brokenAfter: 3_000_000, offlineAfter: 10_000_000 }

async function dyingGame() {
  const clock = movableClock()
  const game = await reachedGame({ limits, clock })
  game.server.world.join('Abby', 7n)
  await eventually(async () => expect((await game.bridge.players()).players).toHaveLength(1))
  await game.bridge.status()
  return { ...game, clock }
}

type Dying = Awaited<ReturnType<typeof dyingGame>>

async function expectStillThere({ bridge }: Dying) {
  expect(await bridge.players()).toMatchObject({ players: [{ name: 'Abby' }] })
  expect(await bridge.status()).toMatchObject({ isOnline: true, playerCount: 1 })
  expect(bridge.health().gameAvailable).toBe(true)
  expect(bridge.health()).not.toHaveProperty('awaySince')
}

async function expectGone({ bridge }: Dying) {
  expect(await failureOf(bridge.players())).toEqual({ kind: 'unavailable' })
  expect(await bridge.status()).toMatchObject({ isOnline: false, playerCount: 0 })
  expect(bridge.health()).toMatchObject({ gameAvailable: false, awaySince: expect.any(Number) })
}

test('after refused connections players, status and health change together, three seconds after the first failure', async () => {
  const game = await dyingGame()
  await game.server.down()
  await expectStillThere(game)
  game.clock.advance(2_900_000)
  await expectStillThere(game)
  game.clock.advance(200_000)
  await expectGone(game)
  await game.server.up()
  await eventually(() => expectStillThere(game))
})

test('after reset connections they change together too', async () => {
  const game = await dyingGame()
  game.server.faults.set({ kind: 'resets' })
  await expectStillThere(game)
  game.clock.advance(3_100_000)
  await expectGone(game)
})

test('while the game only stops answering they change together, ten seconds after its last answer', async () => {
  const game = await dyingGame()
  game.server.faults.set({ kind: 'silent' })
  await expectStillThere(game)
  game.clock.advance(9_000_000)
  await expectStillThere(game)
  game.clock.advance(1_100_000)
  await expectGone(game)
})

test('an answer in between restarts the clock', async () => {
  const game = await dyingGame()
  await game.server.down()
  await expectStillThere(game)
  game.clock.advance(2_900_000)
  await game.server.up()
  await expectStillThere(game)
  await game.server.down()
  await expectStillThere(game)
  game.clock.advance(2_900_000)
  await expectStillThere(game)
})
