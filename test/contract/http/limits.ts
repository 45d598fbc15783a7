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

    test('RATE_LIMIT_READS: the burst is the whole minute, then 429 with Retry-After', async () => {
      const limited = await ownServer(start, { rates: { reads: 3 } })
      const replies = await times(4, () => askWithKey(limited, 'GET', '/players'))
      expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 429])
      expectLimited(replies[3])
      expect((await askWithKey(limited, 'POST', '/rendering?fps=1')).status).toBe(200)
    })

    test('RATE_LIMIT_WRITES: the burst is the whole minute, then 429; reads continue', async () => {
      const limited = await ownServer(start, { rates: { writes: 2 } })
      const replies = await times(3, () => askWithKey(limited, 'POST', '/rendering?fps=1'))
      expect(replies.map(({ status }) => status)).toEqual([200, 200, 429])
      expectLimited(replies[2])
      expect((await askWithKey(limited, 'GET', '/players')).status).toBe(200)
    })

    test('RATE_LIMIT_ANONYMOUS: when an address has used it up, its key holders can still open /ws, and health checks are answered', async () => {
      const limited = await ownServer(start, { rates: { anonymous: 3 } })
      const replies = await times(4, () => ask(limited, 'GET', '/status'))
      expectLimited(replies[3])
      expect(await times(3, () => ask(limited, 'GET', '/health'))).toMatchObject(
        Array.from({ length: 3 }, () => ({ status: 200 })),
      )
      expectLimited(await ask(limited, 'GET', '/health'))
      if (!exempt.includes('ready')) expectLimited(await ask(limited, 'GET', '/ready'))
      for (let count = 0; count < 3; count += 1) await openAuthenticated(limited)
      await expect(openAuthenticated(limited)).rejects.toThrow('429')
    })

    test('RATE_LIMIT_ANONYMOUS: preflights and other OPTIONS have their own limit', async () => {
      const limited = await ownServer(start, { rates: { anonymous: 3 } })
      const replies = await times(4, () => ask(limited, 'OPTIONS', '/players'))
      expect(replies.map(({ status }) => status)).toEqual([204, 204, 204, 429])
      expectLimited(replies[3])
      expectLimited(await ask(limited, 'OPTIONS', '/nothing'))
      expect((await ask(limited, 'GET', '/status')).status).toBe(200)
    })

    test('RATE_LIMIT_ANONYMOUS: limits requests without a key per address; a key holder is still served', async () => {
      const limited = await ownServer(start, { rates: { anonymous: 3 } })
      const replies = await times(4, () => ask(limited, 'GET', '/status'))
      expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 429])
      expectLimited(replies[3])
      expect((await askWithKey(limited, 'GET', '/status')).status).toBe(200)
    })

    test('RATE_LIMIT_FAILED_KEYS: wrong keys from one address, then 429', async () => {
      const limited = await ownServer(start, { rates: { failedKeys: 3 } })
      const replies = await times(5, () => ask(limited, 'GET', '/players', wrong))
      expect(replies.map(({ status }) => status)).toEqual([401, 401, 401, 429, 429])
      expectLimited(replies[4])
    })

    test('a missing key does not count as a wrong one', async () => {
      const limited = await ownServer(start, { rates: { failedKeys: 2 } })
      const replies = await times(6, () => ask(limited, 'GET', '/players'))
      expect(replies.every(({ status }) => status === 401)).toBe(true)
      expect((await ask(limited, 'GET', '/players', wrong)).status).toBe(401)
    })

    test('a correct key from an address with many wrong ones still works', async () => {
      const limited = await ownServer(start, { rates: { failedKeys: 1 } })
      await times(20, () => ask(limited, 'GET', '/players', wrong))
      expect((await askWithKey(limited, 'GET', '/players')).status).toBe(200)
      expect((await askWithKey(limited, 'POST', '/rendering?fps=1')).status).toBe(200)
    })

    test('0 is off', async () => {
      const replies = await times(30, () => ask(server(), 'GET', '/players', wrong))
      expect(replies.every(({ status }) => status === 401)).toBe(true)
    })
  })
}
