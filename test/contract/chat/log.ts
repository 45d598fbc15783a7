/** The game's log for clients that subscribe to it. */
import { describe, expect, test } from 'vitest'
import { eventually } from '../../wait.ts'
import { openAuthenticated } from '../chat-client.ts'
import type { RuntimeUnderTest, ServerUnderTest } from '../server-under-test.ts'
import { sharedServer } from '../shared-server.ts'

export function logContract({ start }: RuntimeUnderTest): void {
  describe('the topic log', () => {
    const server = sharedServer(start)
    const follow = async (given: Pick<ServerUnderTest, 'wsUrl' | 'key'> = server()) => {
      const client = await openAuthenticated(given)
      client.send({ type: 'subscribe', payload: { topics: ['log'] } })
      return client
    }
    const lines = (client: Awaited<ReturnType<typeof follow>>) =>
      client.messages('event').map(({ payload }) => payload?.['text'])

    test('has each line of the game as it is printed, and no snapshot', async () => {
      const client = await follow()
      await client.take('subscribed')
      // The edge requests the farm's log only then.
      await eventually(() => {
        server().host.print('until it is heard')
        expect(lines(client)).toContain('until it is heard')
      })
      server().host.print('\u001b[31mred\u001b[0m\u0007 \u009b1mbold')
      await eventually(() => expect(lines(client).at(-1)).toBe('red bold'))
      expect(client.messages('snapshot')).toEqual([])
      expect(client.messages('event').at(-1)).toEqual({
        type: 'event',
        payload: { topic: 'log', text: 'red bold' },
      })
    })

    test('has at most 200 lines a second, and then the number of skipped ones', async () => {
      const client = await follow()
      await eventually(() => {
        server().host.print('until it is heard')
        expect(lines(client)).toContain('until it is heard')
      })
      for (let line = 0; line < 5000; line += 1) server().host.print(`line ${line}`)
      const gap = await client.take('gap')
      expect(gap.payload).toEqual({ topic: 'log', lines: expect.any(Number) })
      const shown = lines(client).filter((text) => String(text).startsWith('line '))
      expect(shown.length).toBeLessThanOrEqual(200)
      await eventually(() => {
        const missing = client.messages('gap').map(({ payload }) => Number(payload?.['lines']))
        expect(missing.reduce((sum, one) => sum + one, 0)).toBeGreaterThanOrEqual(5000 - shown.length)
      })
    })
  })
}
