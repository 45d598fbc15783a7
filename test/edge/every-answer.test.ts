/** The common parts of every answer at the edge, from the Worker or the object of a farm. */
import { expect, inject, onTestFinished, test } from 'vitest'
import { anEdge, headers } from './an-edge.ts'
import { startEdge } from './edge.ts'
import { fleetKey, linkKey } from './edge-server.ts'

test('an edge without keys answers 503 not_configured to everything except /health', async () => {
  const bare = await startEdge(inject('edgeBundle'), { LINK_KEY: linkKey })
  onTestFinished(() => bare.stop())
  for (const path of [
    '/status',
    '/players',
    '/docs',
    '/ws',
    '/link',
    '/farms',
    '/farms/clover/status',
    '/nothing',
  ]) {
    const answer = await fetch(`${bare.url}${path}`, { headers })
    expect([path, answer.status, await answer.json()]).toEqual([
      path,
      503,
      expect.objectContaining({ code: 'not_configured', retry: true }),
    ])
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  }
  const health = await fetch(`${bare.url}/health`)
  expect([health.status, await health.json()]).toEqual([200, expect.objectContaining({ status: 'degraded' })])
})

test('an edge with only farms of a fleet answers health checks of a load balancer at its root, without a key and without a farm', async () => {
  const fleet = await startEdge(inject('edgeBundle'), { FLEET_KEY: fleetKey })
  onTestFinished(() => fleet.stop())
  const ask = async (path: string, method = 'GET') => {
    const { status, headers } = await fetch(`${fleet.url}${path}`, { method })
    return [status, headers.get('cache-control'), headers.get('access-control-allow-origin')]
  }
  expect(await ask('/health')).toEqual([200, 'no-store', '*'])
  expect(await ask('/health', 'HEAD')).toEqual([200, 'no-store', '*'])
  for (const path of ['/ready', '/instance/ready']) expect(await ask(path)).toEqual([200, 'no-store', null])
  expect(await (await fetch(`${fleet.url}/health`)).json()).toMatchObject({
    status: 'ok',
    gameAvailable: false,
    records: 'ok',
  })
  expect(await (await fetch(`${fleet.url}/health`)).json()).not.toHaveProperty('keyless')
  expect((await ask('/health', 'POST'))[0]).toBe(405)
  expect((await ask('/status'))[0]).toBe(401)
  expect((await ask('/farms/clover/health'))[0]).toBe(401)
})

test('the root of the edge, as every server, is 414 over 4 KiB of URL, 431 over 16 KiB of headers, and 403 for a write of a foreign page', async () => {
  const server = await anEdge()
  const ask = async (path: string, method = 'GET', more: Readonly<Record<string, string>> = {}) => {
    const answer = await fetch(`${server.url}${path}`, { method, headers: { ...headers, ...more } })
    return [answer.status, (await answer.json()).code]
  }
  for (const path of ['/farms', '/farms/actions', '/instance/ready']) {
    expect(await ask(`${path}?x=${'y'.repeat(4096)}`)).toEqual([414, 'uri_too_long'])
    expect(await ask(path, 'GET', { 'X-Long': 'y'.repeat(17_000) })).toEqual([431, 'headers_too_large'])
  }
  const foreign = { Origin: 'https://foreign.example' }
  for (const [method, path] of [
    ['PUT', '/farms/guarded'],
    ['PATCH', '/farms/guarded'],
    ['DELETE', '/farms/guarded'],
    ['POST', '/farms/actions'],
    ['POST', '/farms/guarded/dashboard-link'],
  ] as const)
    expect([path, await ask(path, method, foreign)]).toEqual([path, [403, 'origin_not_allowed']])
  // A read needs no guard: this edge has no FLEET_KEY.
  expect(await ask('/farms', 'GET', foreign)).toEqual([401, 'unauthorized'])
})

test('the set-up is 501 at the edge, also with a code, and says where it is', async () => {
  const server = await anEdge()
  for (const [method, path] of [
    ['GET', '/setup'],
    ['POST', '/setup/sign-in'],
    ['POST', '/setup/download'],
    ['POST', '/setup/key'],
  ] as const) {
    const answer = await fetch(`${server.url}${path}`, { method, headers: { authorization: 'Setup abc' } })
    expect([path, answer.status, await answer.json()]).toEqual([
      path,
      501,
      expect.objectContaining({ code: 'unsupported', error: expect.stringContaining('at the farm') }),
    ])
    expect(answer.headers.get('set-cookie')).toBeNull()
  }
})

test('a valid request id is echoed on every answer, whether the Worker or the object made it', async () => {
  const server = await anEdge()
  for (const path of [
    '/players',
    '/docs',
    '/farms',
    '/farms/nobody/players',
    '/farms/Bad/players',
    '/link',
    '/nothing',
  ]) {
    const [own, other] = await Promise.all(
      ['my-id-1', 'x'.repeat(200)].map((id) =>
        fetch(`${server.url}${path}`, { headers: { 'X-Request-Id': id } }),
      ),
    )
    expect([path, own?.headers.get('x-request-id')]).toEqual([path, 'my-id-1'])
    expect([path, other?.headers.get('x-request-id')]).toEqual([
      path,
      expect.stringMatching(/^[0-9a-f-]{36}$/),
    ])
    for (const name of ['x-content-type-options', 'referrer-policy', 'content-security-policy'])
      expect([path, own?.headers.has(name)]).toEqual([path, true])
  }
})
