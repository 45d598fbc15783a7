/** Which browser pages can use the API (docs/api.md, Browsers). */
import { describe, expect, test } from 'vitest'
import { ask, askWithKey, expectProblem, keyedReads, publicPaths, writes } from '../request.ts'
import type { RuntimeUnderTest } from '../server-under-test.ts'
import { sharedServer } from '../shared-server.ts'

const allowed = 'https://panel.example'
const foreign = 'https://evil.example'

/** Requests that a foreign page can make a browser send without a preflight, and headers that extensions can add. */
const forgeries: readonly (readonly [
  what: string,
  method: string,
  headers: Record<string, string>,
  body: string,
])[] = [
  ['a form', 'POST', { Origin: foreign, 'Content-Type': 'application/x-www-form-urlencoded' }, 'fps=77'],
  ['a form of plain text', 'POST', { Origin: foreign, 'Content-Type': 'text/plain' }, '{"fps":77}'],
  [
    'a form with files',
    'POST',
    { Origin: foreign, 'Content-Type': 'multipart/form-data; boundary=x' },
    '--x--',
  ],
  ['a form in a sandboxed frame', 'POST', { Origin: 'null' }, ''],
  ['fetch without CORS', 'POST', { Origin: foreign, 'Sec-Fetch-Mode': 'no-cors' }, '{}'],
  ['a beacon', 'POST', { Origin: foreign, 'Content-Type': 'text/plain;charset=UTF-8' }, 'ping'],
  ['a ping of a link', 'POST', { Origin: foreign, 'Content-Type': 'text/ping' }, 'PING'],
  ['an image', 'GET', { Referer: `${foreign}/`, 'Sec-Fetch-Dest': 'image' }, ''],
  ['a link', 'GET', { Referer: `${foreign}/`, 'Sec-Fetch-Mode': 'navigate' }, ''],
  ['a method in a header', 'GET', { Origin: foreign, 'X-HTTP-Method-Override': 'POST' }, ''],
  ['cookies', 'POST', { Origin: foreign, Cookie: 'key=c29tZXRoaW5n' }, ''],
  ['a host that begins like an allowed one', 'POST', { Origin: `${allowed}.evil.example` }, ''],
  ['a host that ends like an allowed one', 'POST', { Origin: 'https://evilpanel.example' }, ''],
  ['the allowed host without TLS', 'POST', { Origin: 'http://panel.example' }, ''],
  ['an allowed host as its user name', 'POST', { Origin: `${allowed}@evil.example` }, ''],
  ['two origins', 'POST', { Origin: `${allowed}, ${foreign}` }, ''],
]

export function browserContract({ start, exempt = [] }: RuntimeUnderTest): void {
  describe('browsers', () => {
    const server = sharedServer(start, { allowedOrigins: [allowed, 'http://localhost:5173'] })
    const from = (origin: string, more: Record<string, string> = {}) => ({
      headers: { Origin: origin, ...more },
    })
    const corsHeaders = (headers: Headers) =>
      [...headers.keys()].filter((name) => name.startsWith('access-control-'))

    test('nothing else gets CORS headers for a foreign origin', async () => {
      for (const path of [...keyedReads, '/ready', '/docs', '/openapi.json', '/asyncapi.json', '/nothing'])
        for (const options of [{}, from(foreign)])
          expect([path, corsHeaders((await askWithKey(server(), 'GET', path, options)).headers)]).toEqual([
            path,
            [],
          ])
      for (const path of ['/health', '/status', '/players'])
        expect(corsHeaders((await ask(server(), 'OPTIONS', path, from(foreign))).headers)).toEqual(
          path === '/players' ? [] : expect.not.arrayContaining(['access-control-allow-methods']),
        )
    })

    test('for an allowed origin a real preflight is answered on every route: 204, methods, Authorization, 10 min', async () => {
      const paths = [...publicPaths, ...keyedReads, ...writes.map(([, path]) => path), '/ws']
      for (const path of paths) {
        const reply = await ask(
          server(),
          'OPTIONS',
          path,
          from(allowed, {
            'Access-Control-Request-Method': 'DELETE',
            'Access-Control-Request-Headers': 'authorization',
          }),
        )
        expect([path, reply.status, reply.text]).toEqual([path, 204, ''])
        expect(reply.headers.get('access-control-allow-origin')).toBe(allowed)
        expect(reply.headers.get('access-control-allow-methods')).toMatch(/GET.*POST.*DELETE/)
        expect(reply.headers.get('access-control-allow-headers')?.toLowerCase()).toContain('authorization')
        expect(reply.headers.get('access-control-max-age')).toBe('600')
      }
    })

    test('an origin is allowed as a whole: scheme, host and port', async () => {
      for (const origin of [
        'http://panel.example',
        'https://panel.example:8443',
        'https://panel.example.evil.example',
        'https://sub.panel.example',
        'null',
      ])
        expect(corsHeaders((await askWithKey(server(), 'GET', '/players', from(origin))).headers)).toEqual([])
    })

    test.each(forgeries)(
      'a write that a foreign page forges by %s changes nothing, with a key or without',
      async (_what, method, headers, body) => {
        const { json: before } = await askWithKey(server(), 'GET', '/rendering')
        for (const send of [ask, askWithKey]) {
          const reply = await send(server(), method, '/rendering?fps=77', {
            headers,
            ...(method === 'POST' && { body }),
          })
          expect(reply.status === 403 || reply.status === 401 || method === 'GET').toBe(true)
        }
        expect((await askWithKey(server(), 'GET', '/rendering')).json).toEqual(before)
      },
    )

    test('the answer names a refused origin, shortened and without control characters, and the variable that would allow it', async () => {
      const error = async (origin: string) => {
        const { json } = await askWithKey(server(), 'POST', '/rendering?fps=1', from(origin))
        return (json as { error: string }).error
      }
      expect(await error(foreign)).toMatch(/https:\/\/evil\.example .*ALLOWED_ORIGINS/)
      const long = await error(`https://evil.example/\t${'x'.repeat(2000)}`)
      expect(long).toContain('https://evil.example/?xxx')
      expect(long.length).toBeLessThan(300)
    })
  })

  if (!exempt.includes('no key'))
    describe('browsers without a key set', () => {
      const server = sharedServer(start, { key: null })

      test('a write that carries a foreign Origin is 403 without a key too', async () => {
        const reply = await ask(server(), 'POST', '/rendering?fps=1', { headers: { Origin: foreign } })
        expectProblem(reply, 403, 'origin_not_allowed')
      })
    })
}
