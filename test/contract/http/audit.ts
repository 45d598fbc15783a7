/** The audit (docs/keys-and-records.md): each write, its caller, and its outcome. */
import { describe, expect, test } from 'vitest'
import { endpoints } from '../../../handlers/endpoints/all-endpoints.ts'
import { eventually } from '../../wait.ts'
import { openAuthenticated, openChat } from '../chat-client.ts'
import { ask, askWithKey, expectProblem } from '../request.ts'
import type { RuntimeUnderTest, ServerUnderTest } from '../server-under-test.ts'
import { ownServer, sharedServer } from '../shared-server.ts'
import { makeKey, postKey } from './made-key.ts'

interface Entry {
  readonly id: string
  readonly requestId: string
  readonly action: string
  readonly parameters: Readonly<Record<string, unknown>>
  readonly outcome: string
}

const pageOf = async (server: ServerUnderTest, query = '') => {
  const reply = await askWithKey(server, 'GET', `/audit${query}`)
  expect(reply.status).toBe(200)
  return reply.json as { readonly entries: readonly Entry[]; readonly next?: string }
}
const newest = async (server: ServerUnderTest) => (await pageOf(server, '?limit=1')).entries[0]

const writes = endpoints.filter(({ method }) => method !== 'GET')
/** Those that fail without parameters, or with a truncated body. */
const refusable = writes.filter(
  ({ parameters, body }) => body !== undefined || Object.values(parameters).some(({ required }) => required),
)

export function auditOfWritesContract({ start, origin }: RuntimeUnderTest): void {
  describe('audit of every write', () => {
    const server = sharedServer(start)

    test('no write is open to callers without a key, whose writes would have no row; showing an invitation changes nothing, and the session that is taken has the row of its sign-in', () => {
      const open = writes.filter(({ access }) => access !== 'key')
      expect(open.map(({ operationId }) => operationId)).toEqual(['takeSession', 'showInvitation'])
    })

    test('a write that the scope of the key does not allow has one row, in the name of the key', async () => {
      const { id, key } = await makeKey(server(), 'read')
      for (const { method, path, scope, operationId } of writes.filter((one) => one.scope !== undefined)) {
        const requestId = `scope-${operationId}`
        const reply = await askWithKey({ ...server(), key }, method, path, {
          headers: { 'X-Request-Id': requestId },
        })
        expectProblem(reply, 403, 'insufficient_scope', { scope })
        expect(await newest(server())).toMatchObject({
          requestId,
          action: operationId,
          origin,
          key: { id, name: 'a key for read' },
          outcome: 'refused',
          status: 403,
        })
      }
    })

    test('an invalid write has one row, and is refused', async () => {
      for (const { method, path, operationId, body } of refusable) {
        const requestId = `invalid-${operationId}`
        const { status } = await askWithKey(server(), method, path, {
          headers: { 'X-Request-Id': requestId },
          json: body && '{',
        })
        expect([operationId, status]).toEqual([operationId, 400])
        expect(await newest(server())).toMatchObject({
          requestId,
          action: operationId,
          origin,
          key: { id: 'api_key' },
          outcome: 'refused',
          status: 400,
        })
      }
    })
  })
}

export function auditPagesContract({ start }: RuntimeUnderTest): void {
  describe('pages of the audit', () => {
    const many = sharedServer(start)

    test('are newest first; next leads to the next page until there is none', async () => {
      for (let fps = 1; fps <= 5; fps += 1) await askWithKey(many(), 'POST', `/rendering?fps=${fps}`)
      const first = await pageOf(many(), '?limit=2')
      const second = await pageOf(many(), `?limit=2&before=${first.next}`)
      const third = await pageOf(many(), `?limit=2&before=${second.next}`)
      const shown = [first, second, third].map(({ entries }) => entries.map(({ parameters }) => parameters))
      expect(shown).toEqual([[{ fps: '5' }, { fps: '4' }], [{ fps: '3' }, { fps: '2' }], [{ fps: '1' }]])
      expect(third).not.toHaveProperty('next')
    })

    test('can be limited to an action and to a key', async () => {
      await askWithKey(many(), 'POST', '/time?value=1200')
      expect((await pageOf(many(), '?action=setTime')).entries).toMatchObject([{ action: 'setTime' }])
      expect((await pageOf(many(), '?key=api_key&limit=500')).entries.length).toBeGreaterThanOrEqual(6)
      expect((await pageOf(many(), '?key=another')).entries).toEqual([])
      expect((await pageOf(many(), '?key=another&action=setTime')).entries).toEqual([])
    })

    test('/audit/export streams every row as a line of JSON, newest first; a page has 500 of them at most and 100 unless limit is given', async () => {
      for (let fps = 1; fps <= 510; fps += 1) await askWithKey(many(), 'POST', '/rendering?fps=1')
      const reply = await askWithKey(many(), 'GET', '/audit/export')
      expect(reply.headers.get('content-type')).toBe('application/jsonl')
      expect(reply.headers.get('content-length')).toBeNull()
      const lines = reply.text.trimEnd().split('\n')
      const rows = lines.map((line) => JSON.parse(line) as Entry)
      expect(rows.length).toBeGreaterThanOrEqual(516)
      expect(rows.slice(0, 500)).toEqual((await pageOf(many(), '?limit=500')).entries)
      expect(rows.slice(0, 100)).toEqual((await pageOf(many())).entries)
      expect(rows.map(({ id }) => id)).toEqual(
        rows
          .map(({ id }) => id)
          .sort()
          .reverse(),
      )
      expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length)
    })

    test('/audit/export can be limited to an action and to a key', async () => {
      const reply = await askWithKey(many(), 'GET', '/audit/export?action=setTime&key=api_key')
      expect(reply.text.trimEnd().split('\n')).toHaveLength(1)
    })
  })
}

export function auditContract({ start, origin }: RuntimeUnderTest): void {
  describe('audit', () => {
    const server = sharedServer(start)

    test('a write has one row, written before the answer: the caller, the origin, the change and the outcome', async () => {
      const headers = { 'X-Request-Id': 'the-request-of-the-test' }
      await askWithKey(server(), 'POST', '/time?value=1200', { headers })
      const { entries } = await pageOf(server())
      expect(entries.filter(({ requestId }) => requestId === 'the-request-of-the-test')).toEqual([
        {
          id: expect.stringMatching(/^[0-9]{16}$/),
          at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
          requestId: 'the-request-of-the-test',
          origin,
          key: { id: 'api_key', name: 'API_KEY' },
          address: expect.stringMatching(/^(127\.0\.0\.1|::1|::ffff:127\.0\.0\.1)$/),
          action: 'setTime',
          parameters: { value: '1200' },
          outcome: 'done',
          status: 200,
        },
      ])
    })

    test.each([
      ['out of its range', 'POST', '/time?value=9999', 400, { value: '9999' }],
      ['of an unknown player', 'POST', '/roles/admin?name=Nobody', 404, { name: 'Nobody' }],
      ['without its parameter', 'DELETE', '/farmhands', 400, {}],
    ])('a write %s is refused', async (_what, method, path, status, parameters) => {
      expect((await askWithKey(server(), method, path)).status).toBe(status)
      expect(await newest(server())).toMatchObject({ outcome: 'refused', status, parameters })
    })

    test('unknown members can be secrets, and are not recorded', async () => {
      await askWithKey(server(), 'POST', '/rendering?fps=5&password=hunter2', {
        body: '{"secret":"hunter2"}',
      })
      await askWithKey(server(), 'POST', '/newgame', { body: '{"farmName":"Clover","secret":"hunter2"' })
      const { entries } = await pageOf(server(), '?limit=2')
      expect(entries.map(({ parameters }) => parameters)).toEqual([{}, { fps: '5' }])
      expect(JSON.stringify(await pageOf(server()))).not.toContain('hunter2')
    })

    test('unknown members of objects in a body are not recorded either', async () => {
      await askWithKey(server(), 'PATCH', '/settings', {
        json: { server: { maxPlayers: 8, password: 'hunter2' } },
      })
      expect(await newest(server())).toMatchObject({
        action: 'changeSettings',
        parameters: { server: { maxPlayers: 8 } },
        outcome: 'refused',
      })
    })

    test('members of a body are recorded unchanged', async () => {
      await askWithKey(server(), 'POST', '/newgame', { body: '{"FarmName":"Clover","maxPlayers":0,"mod":1}' })
      expect(await newest(server())).toMatchObject({
        action: 'createNewGame',
        parameters: { farmName: 'Clover', maxPlayers: 0 },
        outcome: 'refused',
      })
    })

    test('a change of keys has a row without the key', async () => {
      const made = await postKey(server(), { name: 'monitor', scopes: ['read'] })
      const { key } = made.json as { readonly key: string }
      expect(await newest(server())).toMatchObject({
        action: 'createKey',
        parameters: { name: 'monitor', scopes: ['read'] },
        outcome: 'done',
        status: 201,
      })
      expect((await askWithKey(server(), 'GET', '/audit/export')).text).not.toContain(key)
    })

    test('a long value is cut', async () => {
      await askWithKey(server(), 'POST', `/roles/admin?name=${'x'.repeat(2000)}`)
      const name = (await newest(server()))?.parameters['name']
      expect(name).toBe(`${'x'.repeat(255)}…`)
    })

    test('reads, callers without a key and wrong keys have no row', async () => {
      await askWithKey(server(), 'POST', '/rendering?fps=7')
      await askWithKey(server(), 'GET', '/players')
      await ask(server(), 'POST', '/time?value=1300')
      await ask(server(), 'POST', '/time?value=1300', { headers: { Authorization: 'Bearer wrong' } })
      await askWithKey(server(), 'POST', '/nowhere')
      expect(await newest(server())).toMatchObject({ action: 'setRendering', parameters: { fps: '7' } })
    })

    test('a write while the game is offline has failed, and one whose answer was lost is unknown, never done', async () => {
      const own = await ownServer(start)
      await own.farm.goOffline()
      expect((await askWithKey(own, 'POST', '/time?value=1200')).status).toBe(503)
      expect(await newest(own)).toMatchObject({ action: 'setTime', outcome: 'failed', status: 503 })
      await own.farm.comeBack()
      await own.farm.fallSilent()
      expect((await askWithKey(own, 'POST', '/time?value=1200')).status).toBe(504)
      await own.farm.comeBack()
      expect(await newest(own)).toMatchObject({ action: 'setTime', outcome: 'unknown', status: 504 })
    })

    test('a chat_send has one row with its author and length, not its text', async () => {
      const client = await openAuthenticated(server())
      client.send({ type: 'chat_send', payload: { author: 'Discord', message: 'the secret meeting', id: 7 } })
      await client.take('chat_sent')
      expect(await newest(server())).toMatchObject({
        origin,
        key: { id: 'api_key', name: 'API_KEY' },
        action: 'chat_send',
        parameters: { author: 'Discord', length: 'the secret meeting'.length, id: 7 },
        outcome: 'done',
        status: 200,
      })
      expect(JSON.stringify(await pageOf(server()))).not.toContain('secret meeting')
    })

    test('an announcement is said as the server, and has one row with its author and length, not its text', async () => {
      const reply = await askWithKey(server(), 'POST', '/announce', { json: { message: 'the secret party' } })
      expect(reply.status).toBe(200)
      expect(server().farm.seen().at(-1)).toBe('Server: the secret party')
      expect(await newest(server())).toMatchObject({
        action: 'announce',
        parameters: { author: 'Server', length: 'the secret party'.length },
        outcome: 'done',
        status: 200,
      })
      expect(JSON.stringify(await pageOf(server()))).not.toContain('secret party')
    })

    describe("farmgate's command line, which its User-Agent names", () => {
      const headers = { 'User-Agent': 'farmgate/1.0.0' }

      test('is the origin of its writes and of its chat lines, through either address', async () => {
        await askWithKey(server(), 'POST', '/time?value=1210', { headers })
        expect(await newest(server())).toMatchObject({
          origin: 'cli',
          parameters: { value: '1210' },
          outcome: 'done',
        })
        const client = await openChat(server(), { headers })
        client.send({ type: 'auth', payload: { token: server().key } })
        client.send({ type: 'chat_send', payload: { author: 'Abby', message: 'hello', id: 1 } })
        await client.take('chat_sent')
        expect(await newest(server())).toMatchObject({
          origin: 'cli',
          action: 'chat_send',
          outcome: 'done',
        })
      })

      test('gives no access without a key', async () => {
        await askWithKey(server(), 'POST', '/time?value=1220')
        expectProblem(await ask(server(), 'POST', '/time?value=1230', { headers }), 401, 'unauthorized')
        expect(await newest(server())).toMatchObject({ origin, parameters: { value: '1220' } })
      })
    })

    test('wrong keys over their limit have one row a minute and address, and writes of a key over its rate one a minute and key', async () => {
      const limited = await ownServer(start, { rates: { failedKeys: 2, writes: 2 } })
      const wrong = { headers: { Authorization: 'Bearer wrong-wrong-wrong' } }
      for (let count = 0; count < 6; count += 1) await ask(limited, 'GET', '/players', wrong)
      // The row is written when the next request is answered at the latest: both go to the same thread.
      const { entries } = await pageOf(limited)
      expect(entries).toMatchObject([
        { action: 'wrongKey', parameters: {}, outcome: 'refused', status: 429, origin },
      ])
      expect(entries[0]).not.toHaveProperty('key')
      for (let count = 0; count < 5; count += 1) await askWithKey(limited, 'POST', '/rendering?fps=5')
      await eventually(async () =>
        expect((await pageOf(limited)).entries).toMatchObject([
          { action: 'rateLimited', key: { id: 'api_key' }, outcome: 'refused', status: 429, origin },
          { action: 'setRendering', outcome: 'done' },
          { action: 'setRendering', outcome: 'done' },
          { action: 'wrongKey' },
        ]),
      )
    })

    test("chat lines that the key's scope forbids, or over its rate, have one row a minute and key", async () => {
      const own = await ownServer(start)
      const { key } = await own.records.of('local').makeKey({ name: 'monitor', scopes: ['read'] })
      for (const [times, client] of [
        [3, await openAuthenticated({ ...own, key })],
        [63, await openAuthenticated(own)],
      ] as const) {
        for (let count = 0; count < times; count += 1)
          client.send({ type: 'chat_send', payload: { author: 'Abby', message: 'hello' } })
        await client.settled()
      }
      await eventually(async () => {
        const { entries } = await pageOf(own, '?limit=500')
        expect(entries.filter(({ outcome }) => outcome === 'refused')).toMatchObject([
          { action: 'chat_send', key: { id: 'api_key' }, status: 429, origin },
          { action: 'chat_send', key: { name: 'monitor' }, status: 403, origin },
        ])
      })
    })
  })
}
