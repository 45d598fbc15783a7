/** The live connection of the client: chat, events, and the data of a page. */
import { describe, expect, test } from 'vitest'
import { connect } from '../../../client/index.ts'
import { eventually } from '../../wait.ts'
import type { RuntimeUnderTest } from '../server-under-test.ts'
import { ownServer, sharedServer } from '../shared-server.ts'
import { breakable, failureOf, recorded } from './connections.ts'

const id = 2n ** 53n + 1n

export function clientLive({ start }: RuntimeUnderTest): void {
  describe('live()', () => {
    const server = sharedServer(start)
    const farm = () => connect(server())

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

    test('lines said during an outage of the connection come after it, in order, none twice and none missing', async () => {
      const own = await ownServer(start)
      await own.farm.join({ id, name: 'Abby' })
      const { farm, drop } = breakable(own)
      const live = farm.live()
      const { said, gaps, states } = recorded(live)
      await eventually(() => expect(live.state).toBe('live'))
      // No line was received yet: the client still knows the number from which it has missed some.
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

    test('a farm whose game is offline is reported as away, and as live when it is back', async () => {
      const own = await ownServer(start)
      const live = connect(own).live({ topics: ['status'] })
      await eventually(() => expect(live.status?.isOnline).toBe(true))
      await own.farm.goOffline()
      await eventually(() => expect(live.state).toBe('away'))
      expect(await failureOf(live.say({ author: 'Bot', message: 'hello?' }))).toMatchObject({
        code: 'game_unavailable',
        retry: true,
      })
      await own.farm.comeBack()
      await eventually(() => expect(live.state).toBe('live'))
      live.close()
    })

    test('a wrong key is refused permanently, and ends the iteration with an error', async () => {
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
          items.push(item.type === 'chat' ? item.message : item.type === 'event' ? item.event : item.type)
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

    test('a revoked key is refused permanently: calls, the live connection and its iteration end', async () => {
      const { id: keyId, key } = await farm().createKey({ name: 'Bot', scopes: ['read', 'chat'] })
      const bot = connect({ url: server().url, key })
      const live = bot.live()
      const { states } = recorded(live)
      const iterated = failureOf(
        (async () => {
          for await (const _ of live);
        })(),
      )
      await live.say({ author: 'Bot', message: 'hello' })
      await farm().revokeKey({ id: keyId })
      expect(await iterated).toMatchObject({ code: 'unauthorized', message: 'The key is no longer valid' })
      expect(states).toEqual(['live', 'refused'])
      expect(await failureOf(bot.players())).toMatchObject({ code: 'unauthorized', status: 401 })
    })
  })
}
