/** `chat_send`: lines from a client to the game. */
import { describe, expect, test } from 'vitest'
import { samplesIn, seriesValue } from '../../runtime/node/scrape.ts'
import { eventually } from '../../wait.ts'
import { openAuthenticated } from '../chat-client.ts'
import { makeKey } from '../http/made-key.ts'
import { askWithKey } from '../request.ts'
import type { RuntimeUnderTest } from '../server-under-test.ts'
import { ownServer, sharedServer } from '../shared-server.ts'

export function sayContract({ start }: RuntimeUnderTest): void {
  describe('chat_send', () => {
    const server = sharedServer(start)
    const say = (author: string, message: string) => ({ type: 'chat_send', payload: { author, message } })
    /** The lines in the game that one message produced. */
    const linesOf = async (author: string, message: string) => {
      const client = await openAuthenticated(server())
      const before = server().farm.relayed().length
      client.send(say(author, message))
      return eventually(async () => {
        await client.settled()
        const lines = server().farm.relayed().slice(before)
        expect(lines.length).toBeGreaterThan(0)
        expect(client.messages('error')).toEqual([])
        return lines
      })
    }

    test('an author of 1 to 32 and a message of 1 to 450 UTF-16 units are said as one line', async () => {
      for (const [author, message] of [
        ['a', 'b'],
        ['x'.repeat(32), 'y'.repeat(450)],
        ['🥕'.repeat(16), '🥕'.repeat(225)],
      ] as const)
        expect(await linesOf(author, message)).toEqual([{ author, message }])
    })

    test('a message of up to 4,000 UTF-16 units is said in up to ten lines, and nothing is lost', async () => {
      const messages = ['z'.repeat(451), 'w'.repeat(4000), '👩‍👩‍👧‍👦'.repeat(100), 'é'.repeat(1500)]
      for (const message of messages) {
        const lines = await linesOf('Long', message)
        expect(lines.length).toBeLessThanOrEqual(10)
        await eventually(() => {
          const said = server()
            .farm.relayed()
            .filter(({ author }) => author === 'Long')
          expect(said.map((line) => line.message).join('')).toMatch(new RegExp(`${message}$`, 'u'))
          for (const line of said) expect(line.message.length).toBeLessThanOrEqual(450)
        })
      }
    })

    test('60 lines at once, then 6 a second: more are error rate_limited, and the connection stays', async () => {
      const client = await openAuthenticated(server())
      const other = await openAuthenticated(server())
      const before = server().farm.relayed().length
      for (let id = 1; id <= 70; id += 1)
        client.send({ type: 'chat_send', payload: { author: 'Flood', message: `line ${id}`, id } })
      await client.settled()
      const refused = client.messages('error').map(({ payload }) => payload)
      for (const payload of refused) expect(payload).toMatchObject({ code: 'rate_limited' })
      const refusedIds = new Set(refused.map((payload) => payload?.['id']))
      for (let id = 1; id <= 60; id += 1) expect(refusedIds).not.toContain(id)
      expect(refusedIds.size).toBeGreaterThan(0)
      const isSaid = () => server().farm.relayed().length - before
      await eventually(() => expect(isSaid()).toBe(70 - refusedIds.size))
      await eventually(() => {
        client.send({ type: 'chat_send', payload: { author: 'Flood', message: 'later', id: 'later' } })
        expect(client.messages('chat_sent').map(({ payload }) => payload?.['id'])).toContain('later')
      })
      other.send(say('Other', 'unhindered'))
      await eventually(() =>
        expect(
          server()
            .farm.relayed()
            .map(({ author }) => author),
        ).toContain('Other'),
      )
    })

    test('a named key has this rate over all its sockets, and one audit row for lines beyond it', async () => {
      const own = await ownServer(start)
      const made = await makeKey(own, 'chat')
      const sockets = await Promise.all(
        Array.from({ length: 10 }, () => openAuthenticated({ ...own, key: made.key })),
      )
      const withApiKey = await openAuthenticated(own)
      for (const socket of sockets)
        for (let line = 0; line < 30; line += 1) socket.send(say('Flood', 'a line'))
      await Promise.all(sockets.map((socket) => socket.settled()))
      const refused = sockets.flatMap((socket) => socket.messages('error'))
      for (const { payload } of refused)
        expect(payload).toMatchObject({
          code: 'rate_limited',
          error: 'At most 60 lines of all clients of this key at once, then 6 a second',
        })
      await eventually(() => expect(own.farm.relayed().length).toBe(300 - refused.length))
      expect(own.farm.relayed().length).toBeLessThan(300)
      withApiKey.send(say('Operator', 'unhindered'))
      await eventually(() => expect(own.farm.relayed().at(-1)?.author).toBe('Operator'))
      const { json } = await askWithKey(own, 'GET', `/audit?limit=500&key=${made.id}`)
      const { entries } = json as { entries: { outcome: string; status: number; parameters: object }[] }
      expect(entries.filter(({ outcome }) => outcome === 'refused')).toMatchObject([
        { status: 429, parameters: { lines: 1 } },
      ])
    })

    test('with an id it is answered by chat_sent once said', async () => {
      const client = await openAuthenticated(server())
      for (const id of ['a text', 'x'.repeat(64), 0, -1, Number.MAX_SAFE_INTEGER]) {
        client.send({ type: 'chat_send', payload: { author: 'Named', message: 'hello', id } })
        expect(await client.take('chat_sent')).toEqual({ type: 'chat_sent', payload: { id } })
      }
      expect(
        server()
          .farm.relayed()
          .filter(({ author }) => author === 'Named'),
      ).toHaveLength(5)
    })

    test('refused lines are counted in a metric', async () => {
      const counted = async () => {
        const metrics = samplesIn((await askWithKey(server(), 'GET', '/metrics')).text)
        return ['invalid_payload', 'message_too_long'].map(
          (code) => seriesValue(metrics, 'farmgate_chat_lines_refused_total', { code }) ?? 0,
        )
      }
      const before = await counted()
      const client = await openAuthenticated(server())
      client.send(say('Bot', ''))
      client.send(say('Bot', 'x'.repeat(4001)))
      await client.settled()
      expect(await counted()).toEqual(before.map((lines) => lines + 1))
    })

    test('a line whose answer is lost is error outcome_unknown; while the game is offline it is game_unavailable, and the connection stays', async () => {
      const down = await ownServer(start)
      const client = await openAuthenticated(down)
      await down.farm.freeze()
      client.send({ type: 'chat_send', payload: { author: 'Bot', message: 'perhaps', id: 'lost' } })
      await eventually(() => expect(down.farm.writes()).toBe(1))
      await down.farm.goOffline()
      expect((await client.take('error')).payload).toMatchObject({ code: 'outcome_unknown', id: 'lost' })
      await eventually(async () => expect((await fetch(`${down.url}/status`)).status).toBe(503))
      client.send({ type: 'chat_send', payload: { author: 'Nobody', message: 'hears this', id: 5 } })
      expect((await client.take('error')).payload).toMatchObject({ code: 'game_unavailable', id: 5 })
      await client.settled()
    })
  })
}
