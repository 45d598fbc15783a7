/** Bodies, request ids, methods, paths, headers (docs/api.md, Requests and Answers). */
import { describe, expect, test } from 'vitest'
import { ask, askWithKey, expectProblem, keyedReads, publicPaths, writes } from '../request.ts'
import type { RuntimeUnderTest } from '../server-under-test.ts'
import { sharedServer } from '../shared-server.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const otherTypes: readonly string[] = ['/docs', '/metrics', '/badge.svg']
const jsonReads = [...publicPaths, ...keyedReads].filter((path) => !otherTypes.includes(path))

export function commonContract({ start }: RuntimeUnderTest): void {
  describe('common rules', () => {
    const server = sharedServer(start)

    test('bodies are compact UTF-8 JSON of type application/json', async () => {
      for (const path of jsonReads) {
        const { status, headers, text } = await askWithKey(server(), 'GET', path)
        expect([path, status, headers.get('content-type')]).toEqual([path, 200, 'application/json'])
        expect(text).not.toMatch(/[\n\r]/)
        expect(text).not.toMatch(/^\{\s|\s\}$/)
      }
    })

    test('members are camelCase, and absent optional ones are omitted rather than null', async () => {
      for (const path of ['/health', '/status', '/players', '/farmhands', '/settings', '/cabins']) {
        const { text } = await askWithKey(server(), 'GET', path)
        for (const [, member] of text.matchAll(/"([^"]*)":/g)) expect(member).toMatch(/^[a-z][A-Za-z0-9]*$/)
        expect(text).not.toContain('null')
      }
    })

    test('timestamps are ISO 8601 UTC with milliseconds and Z', async () => {
      const health = await ask(server(), 'GET', '/health')
      const status = await ask(server(), 'GET', '/status')
      expect(health.json).toMatchObject({
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      })
      expect(status.json).toMatchObject({
        lastUpdated: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      })
    })

    test('X-Request-Id is echoed when 1 to 128 visible ASCII characters', async () => {
      for (const id of ['a', 'x'.repeat(128), '!"#$%&\'()*+,-./:;<=>?@[]^_`{|}~']) {
        const { headers } = await ask(server(), 'GET', '/health', { headers: { 'X-Request-Id': id } })
        expect(headers.get('x-request-id')).toBe(id)
      }
    })

    test('X-Request-Id is a new UUID when there is none or it is something else', async () => {
      const given = [undefined, 'x'.repeat(129), 'two words', 'ümlaut', '']
      const seen = new Set<string | null>()
      for (const id of given) {
        const headers: Record<string, string> = id === undefined ? {} : { 'X-Request-Id': id }
        const answered = (await ask(server(), 'GET', '/health', { headers })).headers.get('x-request-id')
        expect(answered).toMatch(uuid)
        seen.add(answered)
      }
      expect(seen.size).toBe(given.length)
    })

    test('X-Request-Id is on every response, errors included', async () => {
      const headers = { 'X-Request-Id': 'mine' }
      for (const [method, path] of [
        ['GET', '/players'],
        ['GET', '/nothing'],
        ['PUT', '/health'],
        ['OPTIONS', '/players'],
        ['POST', '/time'],
        ['GET', '/ws'],
        ['GET', `/${'x'.repeat(5000)}`],
        ['HEAD', '/status'],
        ['GET', '/docs'],
      ] as const)
        expect((await ask(server(), method, path, { headers })).headers.get('x-request-id')).toBe('mine')
    })

    test('a body is ignored', async () => {
      const reply = await askWithKey(server(), 'POST', '/time?value=900', {
        body: '{"value":1300,'.repeat(100),
        headers: { 'Content-Type': 'application/json' },
      })
      expect(reply.json).toEqual({ success: true, timeOfDay: 900, message: 'Time set to 900' })
    })

    test('HEAD is GET without body', async () => {
      for (const path of [...publicPaths, ...keyedReads]) {
        const { status, text, headers } = await askWithKey(server(), 'HEAD', path)
        expect([path, status, text]).toEqual([path, 200, ''])
        const got = await askWithKey(server(), 'GET', path)
        expect(headers.get('content-type')).toBe(got.headers.get('content-type'))
      }
      expect((await ask(server(), 'HEAD', '/players')).status).toBe(401)
      expect((await askWithKey(server(), 'HEAD', '/nothing')).status).toBe(404)
    })

    test('an unknown path is 404 not_found with the path, without its query', async () => {
      for (const path of ['/nothing', '/players/1', '/api/players', '/wait'])
        expectProblem(await askWithKey(server(), 'GET', `${path}?key=x`), 404, 'not_found', { path })
    })

    test.each([
      ['/farmhand', 'Not found. Did you mean /farmhands? All paths are listed at /docs'],
      ['/open-api.json', 'Not found. Did you mean /openapi.json? All paths are listed at /docs'],
      ['/console', 'Not found. All paths are listed at /docs'],
    ])('the 404 of %s says: %s', async (path, error) => {
      expect((await askWithKey(server(), 'GET', path)).json).toMatchObject({ error })
    })

    test('paths are exact and case-sensitive', async () => {
      for (const path of [
        '/Players',
        '/PLAYERS',
        '/players%20',
        '/%70layers',
        '/players;x',
        '/docs/nothing.js',
      ])
        expect([path, (await askWithKey(server(), 'GET', path)).status]).toEqual([path, 404])
    })

    test('one trailing slash is tolerated, two are not', async () => {
      for (const path of ['/players/', '/health/', '/status/?x=1'])
        expect([path, (await askWithKey(server(), 'GET', path)).status]).toEqual([path, 200])
      expect((await askWithKey(server(), 'GET', '/players//')).status).toBe(404)
    })

    test('a document with a trailing slash redirects to the path without it, by a relative URL', async () => {
      for (const [path, location] of [
        ['/openapi.json/?x=/', '../openapi.json'],
        ['/swagger/v1/swagger.json/', '../swagger.json'],
      ] as const) {
        const { status, headers } = await ask(server(), 'GET', path)
        expect([path, status, headers.get('location')]).toEqual([path, 308, location])
      }
    })

    test('security headers are on every response', async () => {
      for (const [method, path] of [
        ...[...publicPaths, ...keyedReads].map((path) => ['GET', path] as const),
        ...writes,
        ['GET', '/nothing'],
        ['PUT', '/health'],
        ['OPTIONS', '/time'],
        ['GET', '/ws'],
        ['GET', `/${'x'.repeat(5000)}`],
      ] as const)
        for (const reply of [await askWithKey(server(), method, path), await ask(server(), method, path)]) {
          expect(reply.headers.get('x-content-type-options')).toBe('nosniff')
          expect(reply.headers.get('referrer-policy')).toBe('no-referrer')
          expect(reply.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
        }
    })

    test('Cache-Control is no-store on everything authenticated', async () => {
      for (const path of keyedReads)
        for (const reply of [await askWithKey(server(), 'GET', path), await ask(server(), 'GET', path)])
          expect(reply.headers.get('cache-control')).toBe('no-store')
      const status = await askWithKey(server(), 'GET', '/status')
      expect(status.headers.get('cache-control')).toBe('no-store')
    })
  })
}
