/** What the ticket service says of itself, and the limits that every server has. */
import { expect, test } from 'vitest'
import { version } from '../../lib/version.ts'
import { routes } from '../../ticket/http/routes/all-routes.ts'
import { fakePlatform } from './fake-platform.ts'
import { httpSetting } from './http-setting.ts'

const key = 'a-ticket-key-0123456789'

test('GET /openapi.json needs no key, and has every path and method of the service', async () => {
  const { call } = httpSetting(fakePlatform(), key)
  const answer = await call('/openapi.json')
  const { openapi, info, paths } = await answer.json()
  expect([answer.status, openapi, info.version]).toEqual([200, '3.1.0', version])
  const described = Object.entries<object>(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const served = routes.flatMap(({ method, paths }) => paths.map((path) => `${method} ${path}`))
  expect(described.sort()).toEqual(served.sort())
  const operations = Object.values<Record<string, { operationId: string }>>(paths).flatMap(Object.values)
  const judged = (path: string, method: string) => paths[path][method].security
  expect([judged('/health', 'get'), judged('/setup', 'get'), judged('/steam/app-ticket', 'get')]).toEqual([
    [{}],
    [{ setup: [] }],
    [{ key: [] }],
  ])
  expect(Object.keys(paths['/docs'].get.responses['200'].content)).toEqual(['text/html'])
  const ids = operations.map(({ operationId }) => operationId)
  expect(new Set(ids).size).toBe(ids.length)
})

test('GET /docs needs no key, and is a page that names every path', async () => {
  const { call } = httpSetting(fakePlatform(), key)
  const answer = await call('/docs')
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  const page = await answer.text()
  for (const { method, paths } of routes)
    for (const path of paths) expect(page).toContain(`<code>${method} ${path}</code>`)
})

test('each example of the document has the members that the service answers', async () => {
  const { call } = httpSetting(fakePlatform())
  for (const path of [
    '/health',
    '/platform/app-ticket',
    '/steam/app-ticket',
    '/steam/lobby/status',
    '/steam/refresh-token',
    '/game/validate-status',
  ]) {
    const example = Object(routes.find(({ paths }) => paths.includes(path))?.example)
    expect([path, Object.keys(await (await call(path)).json())]).toEqual([path, Object.keys(example)])
  }
})

test('a URL over 4 KiB is 414, with and without a key', async () => {
  const { call } = httpSetting(fakePlatform(), key)
  for (const path of ['/health', '/metrics', '/nothing']) {
    const answer = await call(`${path}?x=${'y'.repeat(4096)}`)
    expect([path, answer.status, await answer.json()]).toEqual([
      path,
      414,
      { error: 'The URL is longer than 4096 bytes', code: 'uri_too_long' },
    ])
  }
  expect((await call(`/health?x=${'y'.repeat(4096 - '/health?x='.length)}`)).status).toBe(200)
})
