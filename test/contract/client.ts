/** The promises of the client (docs/client.md), against a running server: every runtime passes them. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { type ChatLine, connect, type FarmEvent, FarmgateError, type Live } from '../../client/index.ts'
import { eventually } from '../wait.ts'
import type { RuntimeUnderTest, ServerUnderTest } from './server-under-test.ts'
import { ownServer, sharedServer } from './shared-server.ts'

const id = 2n ** 53n + 1n

/** A client whose connections the test can break. */
function breakable({ url, key }: Pick<ServerUnderTest, 'url' | 'key'>) {
  const sockets: WebSocket[] = []
  class Recorded extends WebSocket {
    constructor(address: string) {
      super(address)
      sockets.push(this)
    }
  }
  return {
    farm: connect({ url, key, WebSocket: Recorded }),
    drop() {
      for (const socket of sockets.splice(0)) socket.terminate()
    },
  }
}

/** Everything that a live connection tells, in order. */
function recorded(live: Live) {
  onTestFinished(() => live.close())
  const lines: ChatLine[] = []
  const events: FarmEvent[] = []
  const gaps: unknown[] = []
  const states: string[] = []
  live.on('chat', (line) => lines.push(line))
  live.on('event', (event) => events.push(event))
  live.on('gap', (gap) => gaps.push(gap))
  live.on('state', (state) => states.push(state))
  return { lines, events, gaps, states, said: () => lines.map(({ message }) => message) }
}

const failureOf = async (call: Promise<unknown>): Promise<FarmgateError> => {
  const failure = await call.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (failure instanceof FarmgateError) return failure
  throw new Error('the call did not fail with a FarmgateError', { cause: failure })
}

export function clientContract(name: string, { start }: RuntimeUnderTest): void {
  describe(`through the client, the control API ${name}`, () => {
    const server = sharedServer(start)
    const farm = () => connect(server())

    test('answers with ids of which every digit is kept', async () => {
      await server().farm.join({ id, name: 'Abby' })
      await eventually(async () =>
        expect((await farm().players()).players).toContainEqual(
          expect.objectContaining({ id, name: 'Abby' }),
        ),
      )
      expect((await farm().farmhands()).farmhands).toContainEqual(
        expect.objectContaining({ id, name: 'Abby', isCustomized: true }),
      )
      expect(await farm().grantAdmin({ playerId: id })).toMatchObject({ playerId: id, playerName: 'Abby' })
    })

    test('answers every read, and a status without the key', async () => {
      expect(await connect({ url: server().url }).status()).toMatchObject({ isOnline: true })
      expect(await farm().health()).toMatchObject({ status: 'ok' })
      expect(await farm().ready()).toEqual({ ready: true })
      expect(await farm().settings()).toHaveProperty('server.maxPlayers')
      expect(await farm().cabins()).toHaveProperty('cabins')
      expect(await farm().rendering()).toEqual({ fps: expect.any(Number) })
      expect(await farm().inviteCode()).toEqual({ inviteCode: expect.any(String) })
      expect(await farm().waitForStatus({ isReady: true })).toMatchObject({ isReady: true })
    })

    test('makes changes, whose answer says what was made', async () => {
      expect(await farm().setRendering({ fps: 15 })).toMatchObject({ success: true, fps: 15 })
      expect(await farm().rendering()).toEqual({ fps: 15 })
      await server().farm.join({ id: 77n, name: 'Leaver' })
      await server().farm.leave(77n)
      await eventually(async () =>
        expect(await farm().deleteFarmhand({ name: 'leaver' })).toMatchObject({ success: true }),
      )
      expect((await farm().farmhands()).farmhands.map(({ id }) => id)).not.toContain(77n)
    })

    test('refuses with an error that has code, status, parameter and the id of the request', async () => {
      const failure = await failureOf(farm().setTime({ value: 1275 }))
      expect(failure).toMatchObject({
        code: 'invalid_parameter',
        status: 400,
        parameter: 'value',
        retry: false,
      })
      expect(failure.message).toMatch(/value/)
      expect(failure.requestId).toMatch(/\S/)
      expect(await failureOf(farm().deleteFarmhand({ name: 'nobody of that name' }))).toMatchObject({
        code: 'farmhand_not_found',
        status: 404,
      })
      expect(await failureOf(connect({ url: server().url, key: 'wrong' }).players())).toMatchObject({
        code: 'unauthorized',
        status: 401,
      })
    })

    test('ends a wait for something that does not happen by wait_timeout', async () => {
      expect(await failureOf(farm().waitForPlayers({ playerId: 4n, timeout: 50 }))).toMatchObject({
        code: 'wait_timeout',
        status: 408,
      })
    })

    test('sends chat lines, and says lines in the game', async () => {
      const live = farm().live({ topics: [] })
      const { said, lines } = recorded(live)
      await live.say({ author: 'Bot', message: 'hello' })
      expect(live.state).toBe('live')
      expect(server().farm.relayed().at(-1)).toMatchObject({ author: 'Bot', message: 'hello' })
      await server().farm.join({ id, name: 'Abby' })
      await server().farm.say(id, 'hi')
      await eventually(() => expect(said()).toEqual(['hi']))
      expect(lines[0]).toEqual({
        type: 'chat',
        playerName: 'Abby',
        message: 'hi',
        timestamp: expect.any(String),
        seq: expect.any(Number),
      })
    })

    test('a line that the chat refuses fails with its code', async () => {
      const live = farm().live()
      onTestFinished(() => live.close())
      expect(await failureOf(live.say({ author: 'Bot', message: ' ' }))).toMatchObject({
        code: 'invalid_payload',
      })
    })

    test('lines said while there was no connection come after it, in order, none twice and none missing', async () => {
      const own = await ownServer(start)
      await own.farm.join({ id, name: 'Abby' })
      const { farm, drop } = breakable(own)
      const live = farm.live()
      const { said, gaps, states } = recorded(live)
      await eventually(() => expect(live.state).toBe('live'))
      // No line was heard yet: the client knows all the same from where on it has missed some.
      await live.say({ author: 'Bot', message: 'connected' })
      drop()
      await eventually(() => expect(live.state).toBe('connecting'))
      for (const line of ['one', 'two', 'three']) await own.farm.say(id, line)
      await eventually(() => expect(said()).toEqual(['one', 'two', 'three']))
      drop()
      await own.farm.say(id, 'four')
      await eventually(() => expect(said()).toEqual(['one', 'two', 'three', 'four']))
      expect(gaps).toEqual([])
      expect(states).toEqual(['live', 'connecting', 'live', 'connecting', 'live'])
    })

    test('with since, the lines after that one come first', async () => {
      const own = await ownServer(start)
      await own.farm.join({ id, name: 'Abby' })
      const live = connect(own).live()
      const first = recorded(live)
      await eventually(() => expect(live.state).toBe('live'))
      for (const line of ['one', 'two']) await own.farm.say(id, line)
      await eventually(() => expect(first.said()).toEqual(['one', 'two']))
      const { said } = recorded(connect(own).live({ since: first.lines[0]?.seq }))
      await eventually(() => expect(said()).toEqual(['two']))
    })

    test('keeps status, players and cabins current by events', async () => {
      const own = await ownServer(start)
      const live = connect(own).live()
      const { events } = recorded(live)
      const online = () => live.players?.players.map(({ id }) => id)
      await eventually(() => expect(online()).toBeDefined())
      const before = online() ?? []
      await own.farm.join({ id, name: 'Abby' })
      await eventually(() => expect(online()).toEqual([...before, id]))
      await eventually(() => expect(live.status?.playerCount).toBe(before.length + 1))
      await eventually(() =>
        expect(live.cabins?.cabins).toContainEqual(expect.objectContaining({ ownerId: id })),
      )
      await own.farm.leave(id)
      await eventually(() => expect(online()).toEqual(before))
      expect(events.map(({ event }) => event)).toEqual(
        expect.arrayContaining(['player_joined', 'player_left']),
      )
    })

    test('a farm whose game is away is told as away, and as live when it is back', async () => {
      const own = await ownServer(start)
      const live = connect(own).live({ topics: ['status'] })
      await eventually(() => expect(live.status?.isOnline).toBe(true))
      await own.farm.goAway()
      await eventually(() => expect(live.state).toBe('away'))
      expect(await failureOf(live.say({ author: 'Bot', message: 'hello?' }))).toMatchObject({
        code: 'game_unavailable',
        retry: true,
      })
      await own.farm.comeBack()
      await eventually(() => expect(live.state).toBe('live'))
      live.close()
    })

    test('a wrong key is refused for good, and ends the iteration by an error', async () => {
      const live = connect({ url: server().url, key: 'a key that is wrong' }).live()
      const iterate = async () => {
        for await (const item of live) throw new Error(`${item.type} although the key is wrong`)
      }
      expect(await failureOf(iterate())).toMatchObject({ code: 'unauthorized' })
      expect(live.state).toBe('refused')
      expect(await failureOf(live.say({ author: 'Bot', message: 'hello' }))).toMatchObject({
        code: 'unauthorized',
      })
      expect(await failureOf(iterate())).toMatchObject({ code: 'unauthorized' })
    })

    test('a for await over the connection gets chat lines and events, and ends when it is closed', async () => {
      const own = await ownServer(start)
      const live = connect(own).live()
      const items: string[] = []
      const read = (async () => {
        for await (const item of live) {
          items.push(item.type === 'chat' ? item.message : item.event)
          if (item.type === 'chat') live.close()
        }
      })()
      await eventually(() => expect(live.players).toBeDefined())
      await own.farm.join({ id, name: 'Abby' })
      await eventually(() => expect(items).toContain('player_joined'))
      await own.farm.say(id, 'bye')
      await read
      expect(items.at(-1)).toBe('bye')
      expect(live.state).toBe('closed')
    })
  })
}
