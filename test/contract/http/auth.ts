import { describe, expect, test } from 'vitest'
import { ask, expectProblem, keyedReads, publicPaths } from '../request.ts'
import type { RuntimeUnderTest } from '../server-under-test.ts'
import { sharedServer } from '../shared-server.ts'

export function authContract({ start, exempt = [] }: RuntimeUnderTest): void {
  describe('auth', () => {
    const server = sharedServer(start)
    const withHeader = (authorization: string, path = '/players') =>
      ask(server(), 'GET', path, { headers: { Authorization: authorization } })

    test('public without a key: health, ready, status, docs and its assets, the documents', async () => {
      for (const path of publicPaths)
        expect([path, (await ask(server(), 'GET', path)).status]).toEqual([path, 200])
      const docs = await ask(server(), 'GET', '/docs')
      const browser = { headers: { Accept: 'text/html' } }
      for (const [, asset] of docs.text.matchAll(/(?:src|href)="([^"]+)"/g))
        expect([asset, (await ask(server(), 'GET', `/${asset}`, browser)).status]).toEqual([asset, 200])
    })

    test('401 carries WWW-Authenticate: Bearer', async () => {
      expect((await ask(server(), 'GET', '/players')).headers.get('www-authenticate')).toBe('Bearer')
    })

    test('a 401 says whether no key was sent, it was sent without Bearer, or it is not accepted', async () => {
      const { key } = server()
      const sentence = async (path: string, authorization?: string) => {
        const headers = authorization === undefined ? {} : { Authorization: authorization }
        const reply = await ask(server(), 'GET', path, { headers })
        expectProblem(reply, 401, 'unauthorized')
        return (reply.json as { error: string }).error
      }
      for (const path of ['/players', '/nothing']) {
        for (const none of [undefined, '', 'Bearer'])
          expect(await sentence(path, none)).toContain('No key was sent')
        for (const other of [key, `Token ${key}`, `Bearer${key}`])
          expect(await sentence(path, other)).toContain('must be Bearer <api-key>')
        expect(await sentence(path, `Bearer ${key}x`)).toContain('This key is not accepted')
      }
    })

    test('a key in the query is not accepted', async () => {
      expect((await ask(server(), 'GET', `/players?key=${server().key}`)).status).toBe(401)
    })

    test('an answer never contains the key of the request', async () => {
      for (const path of ['/players', '/nothing', '/time']) {
        const reply = await withHeader('Bearer canary-canary-canary', path)
        expect(reply.text + JSON.stringify([...reply.headers])).not.toContain('canary')
      }
    })
  })

  if (!exempt.includes('no key'))
    describe('auth without a key set', () => {
      const server = sharedServer(start, { key: null })

      test('when API_KEY is empty there is no authentication', async () => {
        for (const path of [...keyedReads, ...publicPaths])
          expect([path, (await ask(server(), 'GET', path)).status]).toEqual([path, 200])
        expect((await ask(server(), 'POST', '/rendering?fps=1')).status).toBe(200)
        expect((await ask(server(), 'GET', '/nothing')).status).toBe(404)
      })

      test('an unneeded key is not an error', async () => {
        const headers = { Authorization: 'Bearer anything' }
        expect((await ask(server(), 'GET', '/players', { headers })).status).toBe(200)
      })
    })
}
