/** Named keys in a farm's own process: their expiry, and a restart of the process. */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { keyRing } from '../../../lib/key-ring.ts'
import { digestOf } from '../../../lib/keys.ts'
import { openRecords } from '../../../services/records/open-records.ts'
import { ringOf } from '../../../services/records/own-key-ring.ts'
import { openAuthenticated } from '../../contract/chat-client.ts'
import { expectSilenceAfter } from '../../contract/lost-scope.ts'
import { askWithKey, expectProblem } from '../../contract/request.ts'
import { silent } from '../../logs.ts'
import { newFolder } from '../../new-folder.ts'
import { eventually } from '../../wait.ts'
import { serving } from './farmgate-process.ts'
import { nodeServer } from './node-server.ts'

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

test('a key for minutes leaves the list when a key is made after its end; one for days stays', async () => {
  onTestFinished(() => void vi.useRealTimers())
  vi.useFakeTimers({ toFake: ['Date'] })
  const records = openRecords(newFolder(), days, silent)
  onTestFinished(() => records.close())
  const port = records.of('local')
  const made = await port.makeKey({ name: 'visit', scopes: ['admin'], expiresInMinutes: 60 })
  expect(Date.parse(made.expiresAt ?? '') - Date.parse(made.createdAt)).toBe(3_600_000)
  await port.makeKey({ name: 'bot', scopes: ['chat'], expiresInDays: 1 })
  vi.setSystemTime(Date.now() + 3 * 86_400_000)
  await port.makeKey({ name: 'next', scopes: ['chat'] })
  expect((await port.keys()).map(({ name }) => name)).toEqual(['bot', 'next'])
})

test('neither a named key nor its secret is in a log, at any level', async () => {
  const farmgate = await serving({ API_KEY: apiKey, LOG_LEVEL: 'trace' })
  const server = { url: farmgate.url, key: apiKey }
  const { json } = await askWithKey(server, 'POST', '/keys', {
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: `a name ${randomUUID()}`, scopes: ['chat'] }),
  })
  const made = json as { id: string; key: string }
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
  farmgate.signal('SIGTERM')
  await farmgate.exited
  const log = farmgate.stdout() + farmgate.stderr()
  expect(log).toContain('/keys')
  for (const hidden of [secret, digestOf(made.key).toString()]) expect(log).not.toContain(hidden)
})
