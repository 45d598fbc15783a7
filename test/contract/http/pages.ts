/** The reference page and the documents, with and without `API_BASE_PATH`. */
import { describe, expect, test } from 'vitest'
import manifest from '../../../package.json' with { type: 'json' }
import { ask, askWithKey, expectProblem } from '../request.ts'
import type { RuntimeUnderTest } from '../server-under-test.ts'
import { sharedServer } from '../shared-server.ts'

export function pageContract({ start }: RuntimeUnderTest): void {
  describe('pages', () => {
    const server = sharedServer(start)

    test('GET /docs: nothing is loaded from another host', async () => {
      const { text, headers } = await ask(server(), 'GET', '/docs')
      expect(headers.get('content-type')).toMatch(/^text\/html/)
      expect(text).not.toMatch(/(?:src|href)="(?:https?:)?\/\//)
    })

    const browser = { headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } }

    test('GET /docs/ is the same page, with links that work from there', async () => {
      const reply = await ask(server(), 'GET', '/docs/', browser)
      expect(reply.status).toBe(200)
      const files = [...reply.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file = '']) => file)
      expect(files.length).toBeGreaterThan(3)
      for (const file of files)
        expect([file, (await fetch(new URL(file, `${server().url}/docs/`), browser)).status]).toEqual([
          file,
          200,
        ])
    })

    test('OpenAPI names as its server the absolute address of the request', async () => {
      for (const path of ['/openapi.json', '/swagger/v1/swagger.json']) {
        const { json } = await ask(server(), 'GET', path)
        expect(json).toMatchObject({ servers: [{ url: server().url }] })
      }
      const behindTls = await ask(server(), 'GET', '/openapi.json', {
        headers: { 'X-Forwarded-Proto': 'https' },
      })
      expect(behindTls.json).toMatchObject({ servers: [{ url: server().url.replace('http:', 'https:') }] })
    })

    test('GET / answers a browser with the dashboard, without a key, and links to /docs for browsers without scripts', async () => {
      for (const method of ['GET', 'HEAD']) {
        const { status, text, headers } = await ask(server(), method, '/', browser)
        expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
        if (method === 'GET') expect(text).toContain('<div id="dashboard"></div>')
        if (method === 'GET') expect(text).toMatch(/<noscript>.*<a href="docs">/)
      }
    })

    test('the policy of the dashboard allows no inline script or style, nothing of another host and no text as a script', async () => {
      const { text, headers } = await ask(server(), 'GET', '/', browser)
      expect(headers.get('content-security-policy')?.split('; ')).toEqual([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "img-src 'self' data:",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
      ])
      expect(text).not.toMatch(/<style|\sstyle=|<script(?![^>]*\ssrc=)|\son\w+=/)
      expect(text).not.toMatch(/(?:src|href)="(?:\w+:|\/)/)
    })

    test('the files of the dashboard need no key, are cached permanently, and no other file is served from their folder', async () => {
      const { text } = await ask(server(), 'GET', '/', browser)
      const files = [...text.matchAll(/(?:src|href)="\.(\/assets\/[^"]+)"/g)].map(([, file = '']) => file)
      expect(files.length).toBeGreaterThanOrEqual(3)
      for (const file of files) {
        const { status, headers } = await ask(server(), 'GET', file)
        expect([file, status, headers.get('cache-control')]).toEqual([
          file,
          200,
          'public, max-age=31536000, immutable',
        ])
        expect(headers.get('content-type')).toMatch(
          /^(text\/(javascript|css); charset=utf-8|image\/svg\+xml)$/,
        )
      }
      for (const path of [
        '/assets/none.js',
        '/assets/..%2findex.html',
        '/assets/%2e%2e%2f%2e%2e%2fpackage.js',
        '/assets/index.html',
        '/assets/.js',
      ])
        expect([path, (await ask(server(), 'GET', path)).status]).toEqual([path, 404])
      expectProblem(await ask(server(), 'GET', '/assets'), 401, 'unauthorized')
      expectProblem(await ask(server(), 'GET', '/assets/a/b.js'), 401, 'unauthorized')
    })

    test('GET /help/<page> is a page of docs/, without a key, under the policy of the dashboard, with links that work from there', async () => {
      const policy = (await ask(server(), 'GET', '/', browser)).headers.get('content-security-policy')
      for (const [path, heading] of [
        ['/help/', '<h1>Help</h1>'],
        ['/help/bot', '<h1 id="write-a-bot">Write a bot</h1>'],
        ['/help/troubleshooting', '<h2 id="friends-cannot-join">Friends cannot join</h2>'],
      ] as const) {
        const { status, text, headers } = await ask(server(), 'GET', path, browser)
        expect([path, status, headers.get('content-type')]).toEqual([path, 200, 'text/html; charset=utf-8'])
        expect(headers.get('content-security-policy')).toBe(policy)
        expect(text).toContain(heading)
        expect(text).not.toMatch(/<style|\sstyle=|<script(?![^>]*\ssrc=)|\son\w+=/)
        const links = [...text.matchAll(/(?:src|href|data-index)="(?!http|#)([^"]+)"/g)].map(
          ([, link = '']) => link,
        )
        expect(links.length).toBeGreaterThan(20)
        for (const link of new Set(links)) {
          const { status } = await fetch(new URL(link, `${server().url}${path}`), browser)
          expect([path, link, status]).toEqual([path, link, 200])
        }
      }
    })

    test('the language of the help is that of ?lang, else the one that Accept-Language prefers, else English', async () => {
      const titleOf = async (path: string, accepted: string) => {
        const { text, headers } = await ask(server(), 'GET', path, {
          headers: { 'Accept-Language': accepted },
        })
        expect(headers.get('vary')).toContain('Accept-Language')
        return /<title>(.*?) · farmgate</.exec(text)?.[1]
      }
      expect(await titleOf('/help/backups', 'zh-CN,zh;q=0.9,en;q=0.8')).toBe('备份')
      expect(await titleOf('/help/backups', 'en;q=0.5, zh-TW')).toBe('备份')
      expect(await titleOf('/help/backups', 'fr, en;q=0.9, zh;q=0.1')).toBe('Backups')
      expect(await titleOf('/help/backups', 'fr')).toBe('Backups')
      expect(await titleOf('/help/backups?lang=zh', 'en')).toBe('备份')
      expect(await titleOf('/help/backups?lang=en', 'zh')).toBe('Backups')
      expect(await titleOf('/help/?q=x&lang=zh', 'en')).toBe('帮助')
    })

    test('GET /help leads to /help/, an unknown page of the help is 404 not_found, and no other file is served', async () => {
      const bare = await ask(server(), 'GET', '/help', browser)
      expect([bare.status, bare.headers.get('location')]).toEqual([308, 'help/'])
      const slash = await ask(server(), 'GET', '/help/bot/', browser)
      expect([slash.status, slash.headers.get('location')]).toEqual([308, '../bot'])
      for (const name of ['none', 'bot.html', '..%2f..%2findex', '%2e%2e%2findex', 'zh']) {
        const { status, json } = await ask(server(), 'GET', `/help/${name}`)
        expect([name, status, json]).toEqual([name, 404, expect.objectContaining({ code: 'not_found' })])
      }
    })

    test('GET / without Accept: text/html is 404 not_found, and 401 without the key', async () => {
      for (const headers of [{}, { Accept: 'application/json' }]) {
        expectProblem(await askWithKey(server(), 'GET', '/', { headers }), 404, 'not_found', { path: '/' })
        expectProblem(await ask(server(), 'GET', '/', { headers }), 401, 'unauthorized')
      }
      expectProblem(await askWithKey(server(), 'POST', '/', browser), 404, 'not_found', { path: '/' })
    })

    test('pages carry a strict CSP', async () => {
      const policy = (await ask(server(), 'GET', '/docs')).headers.get('content-security-policy') ?? ''
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("script-src 'self'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).not.toMatch(/script-src[^;]*unsafe/)
      expect(policy).not.toMatch(/https?:/)
    })

    test("info.version of the documents is the package's version, which is semver", async () => {
      expect(manifest.version).toMatch(/^\d+\.\d+\.\d+$/)
      for (const path of ['/openapi.json', '/swagger/v1/swagger.json', '/asyncapi.json'])
        expect((await ask(server(), 'GET', path)).json).toMatchObject({ info: { version: manifest.version } })
    })
  })

  describe('under a base path', () => {
    const server = sharedServer(start, { basePath: '/farm' })

    test('the API is served under API_BASE_PATH, and also to a proxy that strips it', async () => {
      const root = { url: server().url.slice(0, -'/farm'.length), key: server().key }
      for (const path of ['/health', '/status', '/docs', '/openapi.json', '/players']) {
        expect([path, (await askWithKey(server(), 'GET', path)).status]).toEqual([path, 200])
        expect([path, (await askWithKey(root, 'GET', path)).status]).toEqual([path, 200])
      }
      expect((await askWithKey(root, 'GET', '/farmer/health')).status).toBe(404)
    })

    test('the page at the root links under the base path, with a trailing slash or without', async () => {
      const headers = { Accept: 'text/html' }
      const page = await ask(server(), 'GET', '/', { headers })
      expect([page.status, page.text]).toEqual([200, expect.stringContaining('<a href="docs">')])
      const [, script = ''] = /src="\.(\/assets\/[^"]+)"/.exec(page.text) ?? []
      expect((await ask(server(), 'GET', script)).status).toBe(200)
      const bare = await ask(server(), 'GET', '', { headers })
      expect([bare.status, bare.headers.get('location')]).toEqual([308, 'farm/'])
    })

    test('the help is served there too, with relative URLs', async () => {
      const { status, text } = await ask(server(), 'GET', '/help/friends')
      expect(status).toBe(200)
      expect(text).not.toMatch(/(?:src|href)="\//)
    })

    test('pages and documents use relative URLs, except for the server that OpenAPI names', async () => {
      const { text } = await ask(server(), 'GET', '/docs')
      expect(text).not.toMatch(/(?:src|href)="\//)
      const { servers: _own, ...described } = Object((await ask(server(), 'GET', '/openapi.json')).json)
      expect(
        JSON.stringify(described, (_key, value) => (typeof value === 'bigint' ? '' : value)),
      ).not.toContain('/farm"')
    })
  })
}
