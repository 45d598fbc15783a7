/** Snapshots and events for clients that subscribe. */
import { describe, expect, test } from 'vitest'
import { eventually } from '../../wait.ts'
import { type ChatClient, openAuthenticated } from '../chat-client.ts'
import type { RuntimeUnderTest } from '../server-under-test.ts'
import { sharedServer } from '../shared-server.ts'

const topics = ['players', 'status', 'cabins'] as const

export function liveContract({ start }: RuntimeUnderTest): void {
  describe('subscribe', () => {
    const server = sharedServer(start)
    const subscribed = async (wanted: readonly string[]) => {
      const client = await openAuthenticated(server())
      client.send({ type: 'subscribe', payload: { topics: wanted } })
      await client.take('subscribed')
      await eventually(() => expect(client.messages('snapshot')).toHaveLength(wanted.length))
      return client
    }
    const events = (client: ChatClient) => client.messages('event').map(({ payload }) => payload?.['event'])

    test('is answered with subscribed and a snapshot per topic', async () => {
      const client = await subscribed(topics)
      expect(client.messages('subscribed')).toEqual([
        { type: 'subscribed', payload: { topics: [...topics] } },
      ])
      expect(client.messages('snapshot').map(({ payload }) => payload)).toEqual(
        topics.map((topic) => ({
          topic,
          eventSeq: expect.toSatisfy(Number.isSafeInteger),
          timestamp: expect.stringMatching(/Z$/),
          data: expect.any(Object),
        })),
      )
      const [players, status, cabins] = client.messages('snapshot').map(({ payload }) => payload?.['data'])
      expect(players).toMatchObject({ players: expect.any(Array), version: expect.any(Number) })
      expect(status).toMatchObject({ isOnline: true })
      expect(cabins).toMatchObject({ cabins: expect.any(Array) })
    })

    test('player_changed with the new name of a connected player, and neither joined nor left', async () => {
      const client = await subscribed(['players'])
      const id = 1_301n
      await server().farm.join({ id, name: 'Before' })
      await eventually(() => expect(events(client)).toEqual(['player_joined']))
      await server().farm.rename(id, 'After')
      await eventually(() => expect(events(client)).toEqual(['player_joined', 'player_changed']))
      expect(client.messages('event').at(-1)?.payload).toMatchObject({ player: { id: 1301, name: 'After' } })
      await server().farm.leave(id)
    })

    test('every id of a snapshot and an event is followed by its text', async () => {
      const id = 9_223_372_036_854_775_803n
      const client = await subscribed(topics)
      await server().farm.join({ id, name: 'Twinned' })
      await eventually(() =>
        expect(events(client)).toEqual(expect.arrayContaining(['player_joined', 'cabin_changed'])),
      )
      const reported = (what: string) => client.texts.find((text) => text.includes(`"${what}"`))
      expect(reported('player_joined')).toContain(`"player":{"id":${id},"idText":"${id}",`)
      expect(reported('cabin_changed')).toContain(`"ownerId":${id},"ownerIdText":"${id}",`)
      const late = await subscribed(['players', 'cabins'])
      const [players, cabins] = late.texts.filter((text) => text.includes('"snapshot"'))
      expect(players).toContain(`{"id":${id},"idText":"${id}",`)
      expect(cabins).toContain(`"ownerId":${id},"ownerIdText":"${id}",`)
      await server().farm.leave(id)
      await eventually(() => expect(events(client)).toContain('player_left'))
      expect(reported('player_left')).toContain(`"player":{"id":${id},"idText":"${id}",`)
    })

    test('status_changed for status', async () => {
      const client = await subscribed(['status'])
      await server().farm.festival(true)
      await server().farm.festival(false)
      await eventually(() =>
        expect(events(client)).toEqual(expect.arrayContaining(['status_changed', 'ready_changed'])),
      )
    })

    test('cabin_changed for cabins', async () => {
      const client = await subscribed(['cabins'])
      await server().farm.join({ id: 1_201n, name: 'Settler' })
      await eventually(() => expect(events(client)).toContain('cabin_changed'))
    })

    test('day_started when a new day starts', async () => {
      const client = await subscribed(['status'])
      await server().farm.save()
      await eventually(() => expect(events(client)).toContain('day_started'))
    })

    test('only events of the subscribed topics are sent', async () => {
      const client = await subscribed(['cabins'])
      const other = await subscribed(['players'])
      await server().farm.join({ id: 1_203n, name: 'Known' })
      await eventually(() => expect(events(other)).toContain('player_joined'))
      await client.settled()
      expect(new Set(client.messages('event').map(({ payload }) => payload?.['topic']))).toEqual(
        new Set(['cabins']),
      )
    })
  })
}
