/** Pages whose host name was pointed at this machine (DNS rebinding), without a key. */
import { describe, expect, test } from 'vitest'
import { publicPaths } from '../../contract/request.ts'
import { ownServer } from '../../contract/shared-server.ts'
import { type NodeServer, nodeServer } from './node-server.ts'
import { bodyOf, exchange, statusOf } from './raw-socket.ts'

const started = (key: null | undefined) =>
  ownServer((options) =>
    nodeServer({ ...options, ...(key === null && { key }), allowedOrigins: ['https://panel.example:8443'] }),
  ) as Promise<NodeServer>

const ask = (node: NodeServer, first: string, ...headers: readonly string[]) =>
  exchange(node.port, `${[`${first} HTTP/1.1`, 'Connection: close', ...headers].join('\r\n')}\r\n\r\n`)

describe('without a key', () => {
  const server = () => started(null)

  test.each(['/players', '/settings', '/invite-code', '/metrics', '/stats', '/wait/players', '/nothing'])(
    'a read of %s by a name that could be rebound is refused, and the answer names the variable that allows it',
    async (path) => {
      const answer = await ask(await server(), `GET ${path}`, 'Host: evil.example:8080')
      expect(statusOf(answer)).toBe(403)
      expect(JSON.parse(bodyOf(answer))).toMatchObject({
        code: 'origin_not_allowed',
        error: expect.stringMatching(/http:\/\/evil\.example:8080 .*ALLOWED_ORIGINS/),
      })
    },
  )

  test('a write by a name that could be rebound is refused', async () => {
    const node = await server()
    expect(statusOf(await ask(node, 'POST /rendering?fps=7', 'Host: evil.example'))).toBe(403)
    expect(node.farm.writes()).toBe(0)
  })

  test.each([
    'localhost:8080',
    'LOCALHOST:8080',
    'farm.localhost',
    '127.0.0.1:8080',
    '[::1]:8080',
    '[::ffff:127.0.0.1]',
    '192.168.1.5',
    'api:8080',
    'panel.example:8443',
    'PANEL.example:8443',
  ])('a read by %s is served', async (host) => {
    expect(statusOf(await ask(await server(), 'GET /players', `Host: ${host}`))).toBe(200)
  })

  test.each(publicPaths)('%s is public', async (path) => {
    expect(statusOf(await ask(await server(), `GET ${path}`, 'Host: evil.example'))).toBe(200)
  })

  test('the status shows invite codes to anyone but pages of other origins', async () => {
    const node = await server()
    const codes = async (...headers: readonly string[]) =>
      'steamInviteCode' in JSON.parse(bodyOf(await ask(node, 'GET /status', ...headers)))
    expect(await codes('Host: localhost')).toBe(true)
    expect(await codes('Host: localhost', 'Origin: http://localhost')).toBe(true)
    expect(await codes('Host: localhost', 'Origin: https://panel.example:8443')).toBe(true)
    expect(await codes('Host: evil.example')).toBe(false)
    expect(await codes('Host: localhost', 'Origin: https://evil.example')).toBe(false)
  })
})

test('with a key set any host name is served: a page cannot know the key', async () => {
  const node = await started(undefined)
  const answer = await ask(node, 'GET /players', 'Host: farm.example', `Authorization: Bearer ${node.key}`)
  expect(statusOf(answer)).toBe(200)
})
