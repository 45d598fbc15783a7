/** The game's chat lines, which every client receives. */
import { describe, expect, test } from 'vitest'
import { eventually } from '../../wait.ts'
import { openAuthenticated } from '../chat-client.ts'
import type { RuntimeUnderTest } from '../server-under-test.ts'
import { sharedServer } from '../shared-server.ts'

export function linesContract({ start }: RuntimeUnderTest): void {
  describe('chat', () => {
    const server = sharedServer(start)
    const speaker = 1_001n
    const speak = async (...lines: string[]) => {
      await server().farm.join({ id: speaker, name: 'Сергей' })
      for (const line of lines) await server().farm.say(speaker, line)
    }

    test('a line is {"playerName","message","timestamp","seq"}', async () => {
      const client = await openAuthenticated(server())
      await speak('привет 🥕 "quoted" \\ back')
      expect(await client.take('chat')).toEqual({
        type: 'chat',
        payload: {
          playerName: 'Сергей',
          message: 'привет 🥕 "quoted" \\ back',
          timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
          seq: expect.toSatisfy(Number.isSafeInteger),
        },
      })
    })

    test('every client receives the same lines in the same order', async () => {
      const clients = await Promise.all(Array.from({ length: 20 }, () => openAuthenticated(server())))
      const lines = Array.from({ length: 100 }, (_, line) => `line ${line}`)
      await speak(...lines)
      for (const client of clients) {
        await eventually(() => expect(client.messages('chat')).toHaveLength(100))
        expect(client.messages('chat').map(({ payload }) => payload?.['message'])).toEqual(lines)
        expect(client.texts).toEqual(clients[0]?.texts)
      }
    })

    test('a line of any length is sent whole', async () => {
      const client = await openAuthenticated(server())
      const lengths = [1, 100, 125, 126, 65_000, 70_000]
      await speak(...lengths.map((length) => 'x'.repeat(length)))
      await eventually(() => expect(client.messages('chat')).toHaveLength(lengths.length))
      expect(client.messages('chat').map(({ payload }) => String(payload?.['message']).length)).toEqual(
        lengths,
      )
    })
  })
}
