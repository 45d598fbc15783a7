/** `since`: the missed lines that a returning client gets. */
import { describe, expect, test } from 'vitest'
import { eventually } from '../../wait.ts'
import { type ChatClient, openAuthenticated, openChat } from '../chat-client.ts'
import type { RuntimeUnderTest } from '../server-under-test.ts'
import { ownServer, sharedServer } from '../shared-server.ts'

export function resumeContract({ start, exempt = [] }: RuntimeUnderTest): void {
  describe('since', () => {
    const server = sharedServer(start)
    const speaker = 1_101n
    const speak = async (...lines: string[]) => {
      await server().farm.join({ id: speaker, name: 'Speaker' })
      const witness = await openAuthenticated(server())
      for (const line of lines) await server().farm.say(speaker, line)
      await eventually(() => expect(witness.messages('chat')).toHaveLength(lines.length))
      witness.ws.close()
      return witness.messages('chat').map(({ payload }) => Number(payload?.['seq']))
    }
    const heard = (client: ChatClient) => client.messages('chat').map(({ payload }) => payload?.['message'])

    test('missed lines come right after auth_success, in order, none twice', async () => {
      const [first = 0] = await speak('known', 'missed 1', 'missed 2', 'missed 3')
      const client = await openAuthenticated(server(), { since: first })
      await server().farm.say(speaker, 'live')
      await eventually(() => expect(heard(client)).toContain('live'))
      await client.settled()
      expect(client.messages().map(({ type }) => type)).toEqual([
        'auth_success',
        'chat',
        'chat',
        'chat',
        'chat',
        'pong',
      ])
      expect(heard(client)).toEqual(['missed 1', 'missed 2', 'missed 3', 'live'])
    })

    test('a client that missed no line gets none', async () => {
      const numbers = await speak('a', 'b')
      const client = await openAuthenticated(server(), { since: numbers.at(-1) })
      await client.settled()
      expect(client.messages().map(({ type }) => type)).toEqual(['auth_success', 'pong'])
    })

    test('with the since "now" a client begins with the next line', async () => {
      await speak('earlier')
      const client = await openAuthenticated(server(), { since: 'now' })
      await speak('next')
      await eventually(() => expect(heard(client)).toEqual(['next']))
      expect(client.messages().map(({ type }) => type)).toEqual(['auth_success', 'chat'])
    })

    test('without since no missed line is sent', async () => {
      await speak('earlier')
      const client = await openAuthenticated(server())
      await client.settled()
      expect(heard(client)).toEqual([])
    })

    test('the last 1000 lines are kept; a gap comes first for older lines', async () => {
      const fresh = await ownServer(start)
      await fresh.farm.join({ id: speaker, name: 'Speaker' })
      const witness = await openAuthenticated(fresh)
      for (let line = 0; line < 1_250; line += 1) await fresh.farm.say(speaker, `${line}`)
      await eventually(() => expect(witness.texts).toHaveLength(1_251))
      const first = Number(witness.messages('chat')[0]?.payload?.['seq'])
      const client = await openAuthenticated(fresh, { since: first })
      await client.settled()
      const [, gap, ...lines] = client.messages()
      expect(gap).toEqual({ type: 'gap', payload: { from: first + 1, to: first + 249 } })
      expect(lines.slice(0, -1).map(({ payload }) => payload?.['seq'])).toEqual(
        Array.from({ length: 1_000 }, (_, at) => first + 250 + at),
      )
    })

    test('a gap stands for lines from before a restart', async () => {
      const fresh = await ownServer(start)
      await fresh.farm.join({ id: speaker, name: 'Speaker' })
      const client = await openAuthenticated(fresh, { since: 1_000_000 })
      await client.settled()
      const gap = client.messages('gap')[0]?.payload
      expect(gap).toMatchObject({ from: 1_000_001 })
      await fresh.farm.say(speaker, 'the first')
      const line = await client.take('chat')
      expect(line.payload?.['seq']).toBe(Number(gap?.['to']) + 1)
    })

    test('seq never decreases, also after a restart', async () => {
      const numbers: number[] = []
      for (const text of ['before', 'after']) {
        const fresh = await start()
        await fresh.farm.join({ id: speaker, name: 'Speaker' })
        const client = await openAuthenticated(fresh)
        await fresh.farm.say(speaker, text)
        numbers.push(Number((await client.take('chat')).payload?.['seq']))
        await fresh.stop()
        const stoppedAt = Date.now()
        await eventually(() => Date.now() > stoppedAt)
      }
      expect(numbers[1]).toBeGreaterThan(numbers[0] ?? Number.POSITIVE_INFINITY)
    })

    test('a since greater than every seq: gap from null to the newest, and no line twice', async () => {
      const newest = (await speak('one', 'two')).at(-1) ?? 0
      for (const since of [newest + 1, Number.MAX_SAFE_INTEGER]) {
        const client = await openAuthenticated(server(), { since })
        expect((await client.take('gap')).payload).toEqual({ from: null, to: newest })
        await client.settled()
        expect(heard(client)).toEqual([])
      }
      const client = await openAuthenticated(server(), { since: Number.MAX_SAFE_INTEGER })
      const [next] = await speak('goes on')
      await eventually(() => expect(heard(client)).toEqual(['goes on']))
      expect(next).toBe(newest + 1)
    })

    if (!exempt.includes('no key'))
      test('without a key set, auth with since sends the missed lines', async () => {
        const open = await ownServer(start, { key: null })
        await open.farm.join({ id: speaker, name: 'Speaker' })
        const witness = await openChat(open)
        await witness.settled()
        for (const line of ['one', 'two']) await open.farm.say(speaker, line)
        await eventually(() => expect(witness.messages('chat')).toHaveLength(2))
        const since = Number(witness.messages('chat')[0]?.payload?.['seq'])
        const client = await openChat(open)
        client.send({ type: 'auth', payload: { since } })
        await client.take('auth_success')
        await client.settled()
        expect(heard(client)).toEqual(['two'])
      })
  })
}
