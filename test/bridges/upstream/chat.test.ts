import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import type { GameEvent } from '../../../handlers/game-event.ts'
import { timestamp } from '../../../handlers/game-records.ts'
import { eventually } from '../../wait.ts'
import { failureOf } from '../contract/expectations.ts'
import { ownGame, reachedGame } from '../own-game.ts'
import { tenthOfBudgets, type UpstreamGameOptions } from '../upstream-game.ts'

const started = async (options: UpstreamGameOptions = {}) => {
  const game = await ownGame(options)
  const events: GameEvent[] = []
  game.bridge.subscribe((event) => events.push(event))
  const heard = () => events.flatMap((event) => (event.type === 'chat' ? [event.message] : []))
  return { ...game, heard }
}
type Started = Awaited<ReturnType<typeof started>>
const line = { author: 'Bot', message: 'hello' }
/** The answer to the opening of a socket. @param seconds of its `Retry-After` */
const refusalFor = (seconds: number) =>
  `HTTP/1.1 503 Service Unavailable\r\nRetry-After: ${seconds}\r\nContent-Length: 0\r\n\r\n`

describe('the chat socket of the upstream bridge', () => {
  test.each([
    ['the key, at a game with one', { key: 'a key of the game' }],
    ['no key, at a game without one', {}],
    ['a key, at a game without one, which answers no auth_success', { bridgeKey: 'a key' }],
  ])('is authenticated with %s', async (_which, options) => {
    const { bridge, server, heard } = await started(options)
    await bridge.sendChat(line)
    expect(server.world.heard).toEqual(['(Web) Bot: hello'])
    server.world.say('Abby', 'hi')
    await eventually(() => expect(heard()).toEqual(['hi']))
    expect(server.chat.count).toBe(1)
  })

  test.each([
    [
      'a wrong key',
      { key: 'a key of the game', bridgeKey: 'another' },
      'the game server refuses GAME_API_KEY: set it to its own API_KEY',
    ],
    [
      'no key',
      { key: 'a key of the game', bridgeKey: '' },
      'the game server asks for a key: set GAME_API_KEY to its own API_KEY',
    ],
  ])(
    'with %s fails lines with an error, logs one line and waits before it connects again',
    async (_which, options, reported) => {
      const { bridge, server, logged } = await started({ ...options, limits: { backOffTo: 3_600_000 } })
      expect(await failureOf(bridge.sendChat(line))).toEqual({ kind: 'unavailable', because: 'key_refused' })
      // Six polls of the game take longer than several waits of a back-off that restarts.
      const polls = server.count('GET /health')
      await eventually(() => expect(server.count('GET /health')).toBeGreaterThan(polls + 6))
      expect(server.chat.state.opened).toBe(1)
      expect(bridge.health().gameAvailable).toBe(false)
      expect(
        logged.flatMap(({ level, message }) => (level === 'info' ? [] : [`${level}: ${message}`])),
      ).toEqual([`error: ${reported}`])
      expect(JSON.stringify(logged)).not.toContain('another')
    },
  )

  test('fails lines with an error while it is down, sends none of them later, and reconnects automatically', async () => {
    const { bridge, server, heard } = await started()
    await bridge.sendChat(line)
    await server.down()
    await eventually(async () =>
      expect(await failureOf(bridge.sendChat({ author: 'Bot', message: 'lost' }))).toEqual({
        kind: 'unavailable',
      }),
    )
    await server.up()
    await eventually(() => bridge.sendChat({ author: 'Bot', message: 'again' }))
    expect(server.world.heard).toEqual(['(Web) Bot: hello', '(Web) Bot: again'])
    server.world.say('Abby', 'welcome back')
    await eventually(() => expect(heard()).toEqual(['welcome back']))
    expect(server.chat.count).toBe(1)
  })

  test('reconnects at once, without waiting for its back-off, when a read succeeds again', async () => {
    const { bridge, server } = await started({
      limits: { backOffFrom: 3_600_000, backOffTo: 3_600_000 },
    })
    await bridge.sendChat(line)
    await server.down()
    await eventually(() => expect(bridge.health().gameAvailable).toBe(false))
    await server.up()
    await eventually(() => bridge.sendChat(line))
  })

  test.each([
    [
      'answers again',
      async ({ bridge, server }: Started) => {
        await server.down()
        await eventually(() => expect(bridge.health().gameAvailable).toBe(false))
        await server.up()
      },
    ],
    [
      'has loaded its farm',
      async ({ server: { world } }: Started) => {
        world.isLoaded = true
      },
    ],
  ])('reconnects at once when the game %s, whatever Retry-After of its start said', async (_when, starts) => {
    const game = await started()
    const { bridge, server } = game
    await bridge.sendChat(line)
    server.world.isLoaded = false
    await eventually(async () => expect(await bridge.status()).toMatchObject({ isOnline: false }))
    server.state.chatRefusal = refusalFor(3600)
    server.chat.drop()
    await eventually(() => expect(server.state.chatsRefused).toBe(1))
    server.state.chatRefusal = undefined
    await starts(game)
    await eventually(() => expect(server.chat.count).toBe(1))
    expect(server.state.chatsRefused).toBe(1)
  })

  test('waits no longer than its back-off for a game whose farm is loaded, whatever Retry-After says', async () => {
    const { bridge, server } = await started()
    await bridge.sendChat(line)
    server.state.chatRefusal = refusalFor(3600)
    server.chat.drop()
    await eventually(() => expect(server.state.chatsRefused).toBe(1))
    server.state.chatRefusal = undefined
    await eventually(() => expect(server.chat.count).toBe(1))
  })

  test('sends pings, and is opened again when the game answers none of them', async () => {
    const { bridge, server } = await started({
      limits: { pingEvery: 50, pongWithin: 100, ...tenthOfBudgets },
    })
    await bridge.sendChat(line)
    await eventually(() => expect(server.chat.state.pings).toBeGreaterThan(4))
    server.chat.state.isSilent = true
    expect(await failureOf(bridge.sendChat(line))).toEqual({ kind: 'timeout', write: true })
    server.chat.state.isSilent = false
    await eventually(() => expect(server.chat.state.opened).toBeGreaterThan(1))
    await eventually(() => bridge.sendChat({ ...line, message: 'again' }))
    expect(server.world.heard).toEqual(['(Web) Bot: hello', '(Web) Bot: again'])
  })

  test('reports an unknown outcome when it drops before the game has handled a line', async () => {
    const { bridge, server } = await started()
    await bridge.sendChat(line)
    server.world.isFrozen = true
    const { lines } = server.chat.state
    const failure = failureOf(bridge.sendChat(line))
    await eventually(() => server.chat.state.lines > lines)
    server.chat.drop()
    expect(await failure).toEqual({ kind: 'timeout', write: true })
  })

  test('passes on timestamps in milliseconds, and ignores messages that are not chat lines', async () => {
    const { server, bridge, heard } = await started()
    const events: GameEvent[] = []
    bridge.subscribe((event) => events.push(event))
    await bridge.sendChat(line)
    for (const frame of ['{', 'null', '[]', '{"type":"chat"}', '{"type":"news","payload":{}}', Buffer.of(1)])
      server.chat.sendRaw(frame)
    server.chat.sendRaw(
      '{"type":"chat","payload":{"playerName":"Abby","message":"x","timestamp":"yesterday"}}',
    )
    server.world.say('Abby', 'y')
    await eventually(() => expect(heard()).toEqual(['x', 'y']))
    for (const event of events)
      if (event.type === 'chat') expect(event.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  })

  test.each([
    ['9999-99-99T99:99:99Z', false],
    ['2026-11-21T24:00:00Z', false],
    ['9999-12-31T24:00:00Z', false],
    ['9999-12-31T23:59:59.9999999Z', true],
    ['0001-01-01T00:00:00Z', true],
  ])(
    'passes on the time %s of a line only if it is valid: an edge closes the link for any other',
    async (time, isOne) => {
      const { bridge, server } = await started()
      const heard: { readonly playerName: string; readonly timestamp: string }[] = []
      bridge.subscribe((event) => {
        if (event.type === 'chat') heard.push(event)
      })
      await bridge.sendChat(line)
      server.chat.sendRaw(
        JSON.stringify({ type: 'chat', payload: { playerName: 'A\ud800', message: 'x', timestamp: time } }),
      )
      await eventually(() => expect(heard).toHaveLength(1))
      const [said] = heard
      expect([said?.playerName, v.is(timestamp, said?.timestamp)]).toEqual(['A\ufffd', true])
      expect(said?.timestamp.slice(0, 19) === time.slice(0, 19)).toBe(isOne)
    },
  )
})

/** Limits with which a chat that does not answer is opened again within milliseconds. */
const short = { pingEvery: 50, pongWithin: 50, chatOpensWithin: 50 }

test('a chat socket that the game resets or refuses is lost until it is open again', async () => {
  const { bridge, server } = await reachedGame()
  await eventually(() => expect(server.chat.count).toBe(1))
  expect(bridge.health()).not.toHaveProperty('chatLostAt')
  await server.down()
  await eventually(() => expect(bridge.health().chatLostAt).toEqual(expect.any(Number)))
  await server.up()
  await eventually(() => expect(bridge.health()).not.toHaveProperty('chatLostAt'))
})

test('a chat socket on which the game only stops answering is not lost', async () => {
  const { bridge, server } = await reachedGame({ limits: short })
  await eventually(() => expect(server.chat.count).toBe(1))
  server.chat.state.isSilent = true
  const { opened } = server.chat.state
  await eventually(() => expect(server.chat.state.opened).toBeGreaterThan(opened + 1))
  expect(bridge.health()).not.toHaveProperty('chatLostAt')
})

test('a key that the chat refuses is not a lost socket: reconnecting does not help an old client', async () => {
  const { bridge, server } = await reachedGame({ key: 'a key of the game' })
  await eventually(() => expect(server.chat.count).toBe(1))
  server.state.chatKey = 'another key'
  server.chat.drop()
  await eventually(() => expect(server.chat.state.opened).toBe(2))
  await eventually(() => expect(bridge.health()).not.toHaveProperty('chatLostAt'))
})
