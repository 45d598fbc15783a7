/** What `CHAT_KEEP`, `AUDIT_DAYS` and similar settings leave on the disk, with a game server. */
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { openAuthenticated } from '../../contract/chat-client.ts'
import { askWithKey } from '../../contract/request.ts'
import { startGameServer } from '../../game-server/game-server.ts'
import { newFolder } from '../../new-folder.ts'
import { openedFarm } from '../../runtime/node/open-farm.ts'
import { eventually } from '../../wait.ts'

const key = 'a-key-of-at-least-sixteen-characters'

test.each([
  ['false', false],
  ['true', true],
])(
  'CHAT_KEEP=%s: whether chat lines of players and clients are anywhere in DATA_DIR, also with a webhook for them: %s',
  async (keep, isKept) => {
    const game = await startGameServer({ snapshotEvery: 100 })
    onTestFinished(() => game.stop())
    const folder = newFolder()
    const farmgate = await openedFarm({
      API_KEY: key,
      GAME_API_URL: game.url,
      DATA_DIR: folder,
      CHAT_KEEP: keep,
      WEBHOOK_PRIVATE_HOSTS: '127.0.0.1',
    })
    const server = { ...farmgate, key }
    const hook = await askWithKey(server, 'POST', '/webhooks', {
      json: { name: 'chat', url: 'http://127.0.0.1:1/hook', events: ['chat.message'], format: 'standard' },
    })
    expect(hook.status).toBe(201)
    const client = await openAuthenticated(server)
    game.world.join('Abby', 7n)
    await eventually(async () => expect((await askWithKey(server, 'GET', '/players')).text).toContain('Abby'))
    game.world.say('Abby', 'the line of a player')
    await client.take('chat')
    client.send({ type: 'chat_send', payload: { author: 'Bot', message: 'the line of a client', id: 1 } })
    await client.take('chat_sent')
    await farmgate.stop()
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) =>
      file.isFile(),
    )
    expect(files.map(({ name }) => name)).toContain('records.db')
    const stands = (line: string) =>
      files.some(({ parentPath, name }) => readFileSync(join(parentPath, name)).includes(line))
    expect([stands('the line of a player'), stands('the line of a client'), stands('chat_send')]).toEqual([
      isKept,
      false,
      true,
    ])
  },
)

test.each([
  ['CHAT_KEEP', 'false', false],
  ['CHAT_DAYS', '0', false],
  ['CHAT_KEEP', 'true', true],
])('with %s=%s the link says whether the edge can store chat lines: %s', async (name, value, may) => {
  const edge = new WebSocketServer({ host: '127.0.0.1', port: 0, path: '/link' })
  onTestFinished(() => {
    for (const ws of edge.clients) ws.terminate()
    edge.close()
  })
  const greeted = new Promise<string>((resolve) => {
    edge.once('connection', (ws) => ws.once('message', (hello) => resolve(String(hello))))
  })
  await once(edge, 'listening')
  const { port } = edge.address() as AddressInfo
  await openedFarm({
    API_KEY: key,
    EDGE_URL: `http://127.0.0.1:${port}`,
    EDGE_LINK_KEY: `${key}${key}`,
    [name]: value,
  })
  const { type, keepsChat } = JSON.parse(await greeted)
  expect([type, keepsChat]).toEqual(['hello', may ? undefined : false])
})

test('with AUDIT_DAYS, HISTORY_DAYS and CHAT_DAYS of 0 writes are answered, and soon nothing is kept', async () => {
  const { url } = await openedFarm({ API_KEY: key, AUDIT_DAYS: '0', HISTORY_DAYS: '0', CHAT_DAYS: '0' })
  const server = { url, key }
  expect((await askWithKey(server, 'POST', '/time?value=1200')).status).toBe(200)
  await eventually(async () =>
    expect((await askWithKey(server, 'GET', '/audit')).json).toEqual({ entries: [] }),
  )
  expect((await askWithKey(server, 'GET', '/health')).json).toMatchObject({ records: 'ok' })
})
