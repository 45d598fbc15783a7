/** Named keys in a farm's own process: their expiry, and a restart of the process. */
import { readFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { inspect } from 'node:util'
import { expect, onTestFinished, test, vi } from 'vitest'
import { keyRing } from '../../../lib/key-ring.ts'
import { digestOf } from '../../../lib/keys.ts'
import { openRecords } from '../../../services/records/open-records.ts'
import { ringOf } from '../../../services/records/own-key-ring.ts'
import { openAuthenticated } from '../../contract/chat-client.ts'
import { makeKey, revoke } from '../../contract/http/made-key.ts'
import { expectSilenceAfter } from '../../contract/lost-scope.ts'
import { askWithKey, expectProblem } from '../../contract/request.ts'
import { silent } from '../../logs.ts'
import { newFolder } from '../../new-folder.ts'
import { aKeeper, rowId, startedAt } from '../../services/records/a-keeper.ts'
import { eventually } from '../../wait.ts'
import { nodeServer } from './node-server.ts'
import { openedFarm } from './open-farm.ts'

const days = { audit: 90, history: 90, chat: 30 }
const apiKey = 'the-API_KEY-of-this-farm'

test('when a key expires its sockets are closed with 1008, its long polls end with 401, and it counts as a wrong key', async () => {
  const clock = { now: Date.now() }
  const key = `fg_0a_${'x'.repeat(43)}`
  const ring = keyRing({ apiKey: digestOf(apiKey), now: () => clock.now, used: () => {} })
  ring.set([
    { id: '0a', name: 'a day', scopes: ['read'], digest: digestOf(key), expiresAt: clock.now + 86_400_000 },
  ])
  const server = await nodeServer({ key: apiKey, server: { keys: ring } })
  onTestFinished(() => server.stop())
  const client = await openAuthenticated({ ...server, key })
  const poll = askWithKey({ ...server, key }, 'GET', '/wait/players?playerId=9&timeout=10000')
  await client.settled()
  clock.now += 86_400_000
  expect(await client.closed).toEqual({ code: 1008, reason: 'The key is no longer valid' })
  expectProblem(await poll, 401, 'unauthorized')
  expectProblem(await askWithKey({ ...server, key }, 'GET', '/players'), 401, 'unauthorized')
})

test('when a key loses read its sockets receive nothing more and stay, and its long polls end with 403', async () => {
  const key = `fg_0a_${'x'.repeat(43)}`
  const ring = keyRing({ apiKey: digestOf(apiKey), now: Date.now, used: () => {} })
  const holding = (scope: 'read' | 'control') =>
    ring.set([{ id: '0a', name: 'a key', scopes: [scope], digest: digestOf(key) }])
  holding('read')
  const server = await nodeServer({ key: apiKey, server: { keys: ring } })
  onTestFinished(() => server.stop())
  const waits = vi.spyOn(server.bridge, 'subscribe')
  await expectSilenceAfter(
    { ...server, key },
    server,
    () => holding('control'),
    () => eventually(() => expect(waits).toHaveBeenCalled()),
  )
})

test('keys survive a restart: made keys are valid, and revoked keys are not', async () => {
  const folder = newFolder()
  const first = openRecords(folder, days, silent)
  const port = first.of('local')
  const kept = await port.makeKey({ name: 'kept', scopes: ['chat'], expiresInDays: 1 })
  const gone = await port.makeKey({ name: 'gone', scopes: ['admin'] })
  await port.revokeKey(gone.id)
  await port.usedKey(kept.id)
  await first.close()
  expect(readFileSync(join(folder, 'records.db')).includes(kept.key)).toBe(false)

  const second = openRecords(folder, days, silent)
  onTestFinished(() => second.close())
  const ring = await ringOf(second, digestOf(apiKey), Date.now)
  expect([ring.verify(kept.key)?.name, ring.verify(gone.key)]).toEqual(['kept', undefined])
  expect(await second.of('local').keys()).toEqual([
    { ...kept, key: undefined, lastUsedAt: expect.stringMatching(/Z$/) },
  ])
})

test('neither a named key nor its secret is in a log, at any level', async () => {
  const farmgate = await openedFarm({ API_KEY: apiKey })
  const server = { url: farmgate.url, key: apiKey }
  const made = await makeKey(server, 'chat')
  const secret = made.key.slice(`fg_${made.id}_`.length)
  expect(secret).toHaveLength(43)
  const used = { ...server, key: made.key, wsUrl: `${server.url.replace('http', 'ws')}/ws` }
  const client = await openAuthenticated(used)
  client.send({ type: 'chat_send', payload: { author: 'Bot', message: 'hello', id: 1 } })
  await client.take('chat_sent')
  await askWithKey(used, 'GET', '/players')
  await askWithKey({ ...used, key: `${made.key}x` }, 'GET', '/players')
  await askWithKey(server, 'DELETE', `/keys?id=${made.id}`)
  await client.closed
  await farmgate.stop()
  const log = inspect(farmgate.log, { depth: Number.POSITIVE_INFINITY, maxArrayLength: null })
  expect(log).toContain('/keys')
  for (const hidden of [secret, digestOf(made.key).toString()]) expect(log).not.toContain(hidden)
})

const rows = 60_000

/** Adds many rows to the audit of a folder. */
async function fill(path: string): Promise<void> {
  const { keeper } = aKeeper(path)
  keeper.close()
  const db = new DatabaseSync(path)
  const insert =
    db.prepare(`INSERT INTO audit (id, at, requestId, origin, address, action, parameters, outcome, status)
    VALUES (?, ?, 'a request', 'local', '127.0.0.1', 'setTime', '{"value":"1200"}', 'done', 200)`)
  db.exec('BEGIN')
  for (let row = 1; row <= rows; row += 1) insert.run(rowId(row), startedAt)
  db.exec('COMMIT')
  db.close()
}

test('the export of the audit ends within its next pieces, without its last chunk, when its key is revoked', async () => {
  const folder = newFolder()
  await fill(join(folder, 'records.db'))
  const farmgate = await openedFarm({ API_KEY: apiKey, DATA_DIR: folder })
  const server = { url: farmgate.url, key: apiKey }
  const { id, key } = await makeKey(server, 'admin')
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = get(
      `${farmgate.url}/audit/export`,
      { headers: { Authorization: `Bearer ${key}` } },
      resolve,
    )
    request.on('error', reject)
    onTestFinished(() => void request.destroy())
  })
  expect(response.statusCode).toBe(200)
  // The client does not read yet: farmgate sends as much as the sockets hold, and the rest waits.
  expect((await revoke(server, { id })).status).toBe(200)
  let lines = 0
  const ended = new Promise<string>((resolve) => {
    response.on('error', (error) => resolve(error.message))
    response.on('end', () => resolve('whole'))
  })
  response.setEncoding('utf8').on('data', (piece: string) => {
    lines += piece.split('\n').length - 1
  })
  expect(await ended).toBe('aborted')
  expect(lines).toBeLessThan(rows)
  await eventually(async () => {
    const page = await askWithKey(server, 'GET', '/audit?action=revokeKey')
    expect((page.json as { entries: unknown[] }).entries).toMatchObject([{ outcome: 'done' }])
  })
})
