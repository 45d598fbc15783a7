/** The reference page and the documents, with and without `API_BASE_PATH`. */
import { describe, expect, test } from 'vitest'
import manifest from '../../../package.json' with { type: 'json' }
import { ask, askWithKey } from '../request.ts'
import type { RuntimeUnderTest } from '../server-under-test.ts'
import { sharedServer } from '../shared-server.ts'

export function pageContract({ start, exempt = [] }: RuntimeUnderTest): void {
  describe('pages', () => {
    const server = sharedServer(start)

    test('GET /docs: nothing is loaded from another host', async () => {
      const { text, headers } = await ask(server(), 'GET', '/docs')
      expect(headers.get('content-type')).toMatch(/^text\/html/)
      expect(text).not.toMatch(/(?:src|href)="(?:https?:)?\/\//)
    })

    test('pages carry a strict CSP', async () => {
      const policy = (await ask(server(), 'GET', '/docs')).headers.get('content-security-policy') ?? ''
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("script-src 'self'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).not.toMatch(/script-src[^;]*unsafe/)
      expect(policy).not.toMatch(/https?:/)
    })

    test('GET /openapi.json and /swagger/v1/swagger.json are OpenAPI 3.1', async () => {
      for (const path of ['/openapi.json', '/swagger/v1/swagger.json'])
        expect((await ask(server(), 'GET', path)).json).toMatchObject({
          openapi: expect.stringMatching(/^3\.1\./),
        })
    })

    test('GET /asyncapi.json is AsyncAPI 3', async () => {
      expect((await ask(server(), 'GET', '/asyncapi.json')).json).toMatchObject({
        asyncapi: expect.stringMatching(/^3\./),
      })
    })

    test("info.version of the documents is the package's version, which is semver", async () => {
      expect(manifest.version).toMatch(/^\d+\.\d+\.\d+$/)
      for (const path of ['/openapi.json', '/swagger/v1/swagger.json', '/asyncapi.json'])
        expect((await ask(server(), 'GET', path)).json).toMatchObject({ info: { version: manifest.version } })
    })
  })

  if (!exempt.includes('base path'))
    describe('under a base path', () => {
      const server = sharedServer(start, { basePath: '/farm' })

      test('the API is served under API_BASE_PATH, and to a proxy that takes it away', async () => {
        const root = { url: server().url.slice(0, -'/farm'.length), key: server().key }
        for (const path of ['/health', '/status', '/docs', '/openapi.json', '/players']) {
          expect([path, (await askWithKey(server(), 'GET', path)).status]).toEqual([path, 200])
          expect([path, (await askWithKey(root, 'GET', path)).status]).toEqual([path, 200])
        }
        expect((await askWithKey(root, 'GET', '/farmer/health')).status).toBe(404)
      })

      test('pages and documents use relative URLs', async () => {
        const { text } = await ask(server(), 'GET', '/docs')
        expect(text).not.toMatch(/(?:src|href)="\//)
        expect((await ask(server(), 'GET', '/openapi.json')).text).not.toContain('/farm"')
      })
    })
}
