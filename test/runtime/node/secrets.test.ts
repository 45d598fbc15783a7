/** No secret ever appears in a log, an answer, the metrics or a document. */
import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { readConfig } from '../../../runtime/node/config.ts'
import { secretsOf, withoutSecrets } from '../../../runtime/node/secrets.ts'
import { textCleaner } from '../../../services/host/clean-text.ts'
import { openChat } from '../../contract/chat-client.ts'
import { ask, askWithKey, publicPaths } from '../../contract/request.ts'
import { portOf } from '../../port-of.ts'
import { serving } from './farmgate-process.ts'
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
  const made = await askWithKey(server, 'POST', '/downloads', { json: { path: '/audit/export' } })
  const { url } = made.json as { readonly url: string }
  expect((await ask(server, 'GET', `/${url}`)).status).toBe(200)
  reported.push((await askWithKey(server, 'GET', '/audit')).text)
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
  // The code of a one-time address is a secret too.
  const code = url.replace(/^.*=/, '')
  expect(farmgate.stdout() + farmgate.stderr() + reported.join('')).not.toContain(code)
})

test('no secret of the configuration is in a line of the log, not even as a part of an address', () => {
  const secrets = {
    API_KEY: 'canary-api-key-32-characters-long',
    GAME_API_KEY: 'canary game key',
    EDGE_LINK_KEY: 'canary-link',
    BACKUP_S3_ACCESS_KEY_ID: 'canary-id',
    BACKUP_S3_SECRET_ACCESS_KEY: 'canary/secret+key',
    BACKUP_PASSPHRASE: 'canary:passphrase of the copies',
    PELICAN_KEY: 'ptlc_canary',
  }
  const reading = readConfig({
    env: {
      ...secrets,
      GAME_API_URL: 'http://user:canary-password@game:8080',
      PLATFORM_AUTH_URL: 'http://ticket:3001/canary-ticket-key-of-the-service',
      EDGE_URL: 'https://edge.example/farms/meadow',
      BACKUP_S3_URL: 'https://s3.example/bucket/farm',
    },
    readFile: () => '',
    isTerminal: false,
    newKey: () => '',
  })
  if ('problems' in reading) expect.fail(JSON.stringify(reading.problems))
  const clean = textCleaner(secretsOf(reading.config))
  const all = [...Object.values(secrets), 'canary-password', 'canary-ticket-key-of-the-service']
  for (const secret of all) {
    expect(clean(`[game] ${secret} was sent`)).toBe('[game] … was sent')
    expect(clean(encodeURIComponent(secret))).toBe('…')
  }
  // The rest can be read.
  expect(clean('GET http://game:8080/status https://s3.example/bucket/farm meadow')).toContain(
    'game:8080/status',
  )
})

test('a game that farmgate starts gets none of its secrets in its environment', () => {
  const kept = { PATH: '/bin', DISPLAY: ':0', API_PORT: '8080' }
  const secrets = {
    API_KEY: 'a',
    API_KEY_FILE: '/run/secrets/api',
    GAME_API_KEY: 'b',
    EDGE_LINK_KEY: 'c',
    BACKUP_PASSPHRASE_FILE: '/run/secrets/backup',
    PELICAN_KEY: 'd',
    PLATFORM_AUTH_URL: 'http://ticket:3001/canary',
  }
  expect(withoutSecrets({ ...kept, ...secrets })).toEqual(kept)
})
