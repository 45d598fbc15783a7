/** Sizes and rates (docs/api.md, Limits). */
import { describe, expect, test } from 'vitest'
import { openAuthenticated } from '../chat-client.ts'
import { ask, askWithKey, expectProblem, type Reply } from '../request.ts'
import type { RuntimeUnderTest } from '../server-under-test.ts'
import { ownServer, sharedServer } from '../shared-server.ts'

const wrong = { headers: { Authorization: 'Bearer wrong-wrong-wrong-wrong' } }

export function limitContract({ start, exempt = [] }: RuntimeUnderTest): void {
  describe('limits', () => {
    const server = sharedServer(start)
    const times = async (count: number, call: () => Promise<Reply>) => {
      const replies: Reply[] = []
      for (let done = 0; done < count; done += 1) replies.push(await call())
      return replies
    }
    const expectLimited = (reply: Reply | undefined) => {
      if (reply === undefined) throw new Error('no answer')
      expectProblem(reply, 429, 'rate_limited', { retry: true })
      expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0)
    }

    test('a URL over 4 KiB is 414, one of 4 KiB is served', async () => {
      // The farm's own prefix at the edge is not part of what the router reads.
      const target = (bytes: number) => `/health?${'x'.repeat(bytes - '/health?'.length)}`
      expect((await ask(server(), 'GET', target(4096 - new URL(server().url).pathname.length))).status).toBe(
        200,
      )
      for (const bytes of [4097, 6000, 12_000])
        expectProblem(await ask(server(), 'GET', target(bytes)), 414, 'uri_too_long')
    })

    test('a request line and headers over 16 KiB are 431, of 15 KiB are served', async () => {
      const headers = (bytes: number) => ({ headers: { 'X-Filler': 'x'.repeat(bytes) } })
      expect((await ask(server(), 'GET', '/health', headers(15 * 1024))).status).toBe(200)
      for (const bytes of [16 * 1024, 30 * 1024])
        expectProblem(await ask(server(), 'GET', '/health', headers(bytes)), 431, 'headers_too_large')
    })

    test('RATE_LIMIT_READS and RATE_LIMIT_WRITES: each burst is the whole minute, then 429 with Retry-After, and the other kind is served', async () => {
      const limited = await ownServer(start, { rates: { reads: 3, writes: 2 } })
      const written = await times(3, () => askWithKey(limited, 'POST', '/rendering?fps=1'))
      expect(written.map(({ status }) => status)).toEqual([200, 200, 429])
      expectLimited(written[2])
      const read = await times(4, () => askWithKey(limited, 'GET', '/players'))
      expect(read.map(({ status }) => status)).toEqual([200, 200, 200, 429])
      expectLimited(read[3])
    })

    test('RATE_LIMIT_ANONYMOUS: limits requests without a key per address; preflights, health checks, /ws and key holders are still served', async () => {
      const limited = await ownServer(start, { rates: { anonymous: 3 } })
      const replies = await times(4, () => ask(limited, 'GET', '/status'))
      expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 429])
      expectLimited(replies[3])
      expect((await askWithKey(limited, 'GET', '/status')).status).toBe(200)
      const preflights = await times(4, () => ask(limited, 'OPTIONS', '/players'))
      expect(preflights.map(({ status }) => status)).toEqual([204, 204, 204, 429])
      expectLimited(preflights[3])
      expectLimited(await ask(limited, 'OPTIONS', '/nothing'))
      const checks = await times(4, () => ask(limited, 'GET', '/health'))
      expect(checks.map(({ status }) => status)).toEqual([200, 200, 200, 429])
      if (!exempt.includes('ready')) expectLimited(await ask(limited, 'GET', '/ready'))
      for (let count = 0; count < 3; count += 1) await openAuthenticated(limited)
      await expect(openAuthenticated(limited)).rejects.toThrow('429')
    })

    test('RATE_LIMIT_FAILED_KEYS: wrong keys from one address, then 429; missing keys do not count, and a correct key still works', async () => {
      const limited = await ownServer(start, { rates: { failedKeys: 3 } })
      const missing = await times(6, () => ask(limited, 'GET', '/players'))
      expect(missing.every(({ status }) => status === 401)).toBe(true)
      const replies = await times(20, () => ask(limited, 'GET', '/players', wrong))
      expect(replies.map(({ status }) => status)).toEqual([401, 401, 401, ...Array<number>(17).fill(429)])
      expectLimited(replies[4])
      expect((await askWithKey(limited, 'GET', '/players')).status).toBe(200)
      expect((await askWithKey(limited, 'POST', '/rendering?fps=1')).status).toBe(200)
    })

    test('0 is off', async () => {
      const replies = await times(30, () => ask(server(), 'GET', '/players', wrong))
      expect(replies.every(({ status }) => status === 401)).toBe(true)
    })
  })
}
