/** No secret ever appears in a log, an answer, the metrics or a document. */
import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { openChat } from '../../contract/chat-client.ts'
import { ask, askWithKey, publicPaths } from '../../contract/request.ts'
import { portOf } from '../../port-of.ts'
import { serve, serving } from './farmgate-process.ts'
import { exchange } from './raw-socket.ts'

const canary = 'CANARY'
const secrets = {
  API_KEY: `api-${canary}-0123456789`,
  GAME_API_KEY: `game-${canary}-0123456789`,
  EDGE_LINK_KEY: `link-${canary}-0123456789`,
}

async function ticketService(): Promise<string> {
  const service = createServer((_incoming, outgoing) => outgoing.writeHead(500).end('no'))
  return `http://127.0.0.1:${await portOf(service)}/secret-${canary}`
}

test('no key appears in a log, answer, error, metric or document, at any log level', async () => {
  const env = {
    ...secrets,
    GAME_API_URL: `http://${canary}:${canary}@127.0.0.1:9/${canary}`,
    EDGE_URL: `http://127.0.0.1:9/farms/${canary.toLowerCase()}-url`,
    PLATFORM_AUTH_URL: await ticketService(),
    LOG_LEVEL: 'trace',
  }
  const farmgate = await serving(env)
  const server = { url: farmgate.url, key: secrets.API_KEY }
  const reported: string[] = []
  for (const path of [
    ...publicPaths,
    '/players',
    '/metrics',
    '/settings',
    '/nothing',
    '/ws',
    `/${'x'.repeat(5000)}`,
  ])
    for (const reply of [await ask(server, 'GET', path), await askWithKey(server, 'GET', path)])
      reported.push(reply.text, JSON.stringify([...reply.headers]))
  const wrong = { headers: { Authorization: `Bearer wrong-${canary}` } }
  for (const path of ['/players', '/time', '/nothing'])
    reported.push((await ask(server, 'POST', path, wrong)).text)
  const port = Number(new URL(farmgate.url).port)
  reported.push(
    await exchange(port, `GET /players HTTP/1.1\r\nAuthorization: Bearer ${secrets.API_KEY}\r\n\r\n`, 300),
    await exchange(
      port,
      `GET // HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${secrets.API_KEY}\r\n nonsense\r\n\r\n`,
      300,
    ),
  )
  for (const token of [`wrong-${canary}`, secrets.API_KEY]) {
    const client = await openChat(farmgate)
    client.send({ type: 'auth', payload: { token, since: 0 } })
    client.send({ type: token })
    await client.take(token === secrets.API_KEY ? 'error' : 'auth_failed')
    reported.push(client.texts.join())
  }
  farmgate.signal('SIGTERM')
  expect((await farmgate.exited).code).toBe(0)
  expect(reported.join('\n')).not.toContain(canary)
  // Lines with an address are logged: it had a user name, a password and a path.
  for (const server of ['the game server', 'the ticket service'])
    await farmgate.said(new RegExp(`${server} is unreachable: `))
  expect(farmgate.stdout() + farmgate.stderr()).not.toContain(canary)
})

test('errors about a wrong configuration never repeat a secret', async () => {
  const farmgate = await serve({
    ...secrets,
    API_KEY: `${canary}`,
    API_KEY_FILE: '/nowhere',
    EDGE_URL: `ftp://${canary}@edge`,
    PLATFORM_AUTH_URL: `${canary}`,
    GAME_API_URL: `x:${canary}`,
  })
  expect((await farmgate.exited).code).toBe(78)
  expect(farmgate.stdout() + farmgate.stderr()).not.toContain(canary)
})
