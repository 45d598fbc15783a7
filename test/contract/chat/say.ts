/** Contract section 4, `chat_send`. */
import { describe, expect, test } from 'vitest'
import { eventually } from '../../wait.ts'
import { openAuthenticated } from '../chat-client.ts'
import type { RuntimeUnderTest } from '../server-under-test.ts'
import { ownServer, sharedServer } from '../shared-server.ts'

export function sayContract({ start }: RuntimeUnderTest): void {
  describe('chat_send', () => {
    const server = sharedServer(start)
    const say = (author: string, message: string) => ({ type: 'chat_send', payload: { author, message } })
    /** The lines that one message made in the game. */
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

    test('is delivered into the game', async () => {
      expect(await linesOf('Discord', 'hello farm')).toEqual([{ author: 'Discord', message: 'hello farm' }])
    })

    test('is not echoed as chat', async () => {
      const client = await openAuthenticated(server())
      const other = await openAuthenticated(server())
      client.send(say('Echo', 'is anybody there?'))
      await eventually(() => expect(server().farm.relayed().at(-1)?.author).toBe('Echo'))
      await client.settled()
      await other.settled()
      expect([...client.messages('chat'), ...other.messages('chat')]).toEqual([])
    })

    test('control characters are removed and blanks trimmed', async () => {
      expect(await linesOf(' \u0007Dis\u0000cord\n', '\t he\u001bllo\r\n\u0085farm \u007f')).toEqual([
        { author: 'Discord', message: 'hellofarm' },
      ])
    })

    test('author 1 to 32 and message 1 to 450 in UTF-16 units go as one line', async () => {
      for (const [author, message] of [
        ['a', 'b'],
        ['x'.repeat(32), 'y'.repeat(450)],
        ['🥕'.repeat(16), '🥕'.repeat(225)],
      ] as const)
        expect(await linesOf(author, message)).toEqual([{ author, message }])
    })

    test('a message over 450 goes as up to five lines, and nothing is lost', async () => {
      const messages = ['z'.repeat(451), 'w'.repeat(2000), '👩‍👩‍👧‍👦'.repeat(100), 'é'.repeat(1500)]
      for (const message of messages) {
        const lines = await linesOf('Long', message)
        expect(lines.length).toBeLessThanOrEqual(5)
        await eventually(() => {
          const said = server()
            .farm.relayed()
            .filter(({ author }) => author === 'Long')
          expect(said.map((line) => line.message).join('')).toMatch(new RegExp(`${message}$`, 'u'))
          for (const line of said) expect(line.message.length).toBeLessThanOrEqual(450)
        })
      }
    })

    test('an unpaired surrogate does no harm', async () => {
      const [line] = await linesOf('Half', 'a\ud800b')
      expect(line?.message.isWellFormed()).toBe(true)
    })

    test('over 2000 is error message_too_long', async () => {
      const client = await openAuthenticated(server())
      const before = server().farm.relayed().length
      client.send(say('Long', 'x'.repeat(2001)))
      expect((await client.take('error')).payload).toMatchObject({ code: 'message_too_long' })
      await client.settled()
      expect(server().farm.relayed().length).toBe(before)
    })

    test('more than 20 in 10 s on one socket is error rate_limited, and the connection stays', async () => {
      const client = await openAuthenticated(server())
      const other = await openAuthenticated(server())
      const before = server().farm.relayed().length
      for (let line = 1; line <= 23; line += 1) client.send(say('Flood', `line ${line}`))
      await client.settled()
      expect(client.messages('error').map(({ payload }) => payload?.['code'])).toEqual(
        Array(3).fill('rate_limited'),
      )
      await eventually(() => expect(server().farm.relayed().length).toBe(before + 20))
      other.send(say('Other', 'unhindered'))
      await eventually(() => expect(server().farm.relayed().at(-1)?.author).toBe('Other'))
    })

    test('lines come into the game in the order they were sent', async () => {
      const client = await openAuthenticated(server())
      for (let line = 1; line <= 10; line += 1) client.send(say('Order', `${line}`))
      await eventually(() =>
        expect(
          server()
            .farm.relayed()
            .filter(({ author }) => author === 'Order')
            .map(({ message }) => message),
        ).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9', '10']),
      )
    })

    test('game down: error game_unavailable, and the connection stays', async () => {
      const down = await ownServer(start)
      const client = await openAuthenticated(down)
      await down.farm.goAway()
      await eventually(async () => expect((await fetch(`${down.url}/ready`)).status).toBe(503))
      client.send(say('Nobody', 'hears this'))
      expect((await client.take('error')).payload).toMatchObject({ code: 'game_unavailable' })
      await client.settled()
    })
  })
}
