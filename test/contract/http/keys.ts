/** Named keys (docs/keys.md): made, used, listed and revoked, over HTTP and on `/ws`. */
import { describe, expect, test } from 'vitest'
import type { Endpoint } from '../../../handlers/endpoint.ts'
import { endpoints } from '../../../handlers/endpoints/all-endpoints.ts'
import { type Scope, scopes } from '../../../handlers/key-holder.ts'
import { eventually } from '../../wait.ts'
import { type ChatClient, openAuthenticated, openChat } from '../chat-client.ts'
import { ask, askWithKey, expectProblem, type Reply } from '../request.ts'
import type { RuntimeUnderTest, ServerUnderTest } from '../server-under-test.ts'
import { sharedServer } from '../shared-server.ts'

type Server = Pick<ServerUnderTest, 'url' | 'key'>
interface Made {
  readonly id: string
  readonly key: string
}

const json = { 'Content-Type': 'application/json' }
const postKey = (server: Server, body: unknown, headers: Record<string, string> = json) =>
  askWithKey(server, 'POST', '/keys', {
    headers,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

async function makeKey(server: Server, ...held: Scope[]): Promise<Made> {
  const { status, json: made } = await postKey(server, { name: `a key for ${held.join()}`, scopes: held })
  expect(status).toBe(201)
  return made as Made
}

const revoke = (server: Server, { id }: Made) => askWithKey(server, 'DELETE', `/keys?id=${id}`)

const say = (id: string) => ({ type: 'chat_send', payload: { author: 'Bot', message: 'hello', id } })

/** Everything that needs a key: the endpoints, and what the router answers beside them. */
const keyed: readonly Pick<Endpoint, 'method' | 'path' | 'scope'>[] = [
  ...endpoints.filter(({ access }) => access === 'key'),
  { method: 'GET', path: '/metrics', scope: 'read' },
  { method: 'GET', path: '/audit/export', scope: 'admin' },
  { method: 'GET', path: '/backups/download', scope: 'admin' },
]

export function keysContract({ start }: RuntimeUnderTest): void {
  const server = sharedServer(start)
  const as = ({ key }: { readonly key: string }) => ({ ...server(), key })

  describe.each(scopes)('a key of the scope %s', (scope) => {
    test.each(keyed)(
      'at $method $path, which needs $scope (of a key of any scope where none is named)',
      async ({ method, path, scope: needed }) => {
        // Without parameters, or with a body that is none, no write is made; a long poll of a millisecond ends at once.
        const reply = await askWithKey(as(await keyOf(scope)), method, `${path}?timeout=1`, {
          ...(path === '/newgame' && { body: '{' }),
        })
        if (needed === undefined || scope === needed || scope === 'admin')
          expect([401, 403]).not.toContain(reply.status)
        else expectProblem(reply, 403, 'insufficient_scope', { scope: needed })
      },
    )
  })

  /** One key for each scope, for all of the table. */
  const made = new Map<Scope, Promise<Made>>()
  const keyOf = (scope: Scope): Promise<Made> => {
    const known = made.get(scope) ?? makeKey(server(), scope)
    made.set(scope, known)
    return known
  }

  test('GET /keys/own tells the holder of any key what it allows, and nobody else', async () => {
    expect((await askWithKey(server(), 'GET', '/keys/own')).json).toEqual({
      id: 'api_key',
      name: 'API_KEY',
      scopes: ['read', 'chat', 'control', 'admin'],
    })
    for (const scope of scopes) {
      const { id } = await keyOf(scope)
      expect((await askWithKey(as(await keyOf(scope)), 'GET', '/keys/own')).json).toEqual({
        id,
        name: `a key for ${scope}`,
        scopes: [scope],
      })
    }
    for (const reply of [
      await ask(server(), 'GET', '/keys/own'),
      await askWithKey(as({ key: 'wrong' }), 'GET', '/keys/own'),
    ])
      expectProblem(reply, 401, 'unauthorized')
  })

  test('POST /keys answers 201 with the record and the key, which nothing caches', async () => {
    const reply = await postKey(server(), {
      name: 'Discord bot',
      scopes: ['chat', 'read'],
      expiresInDays: 30,
    })
    expect(reply.headers.get('cache-control')).toBe('no-store')
    expect(reply.json).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{12}$/),
      name: 'Discord bot',
      scopes: ['chat', 'read'],
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      expiresAt: expect.stringMatching(/^\d{4}-.*Z$/),
      key: expect.stringMatching(/^fg_[0-9a-f]{12}_[\w-]{43}$/),
    })
    const { createdAt, expiresAt } = reply.json as { createdAt: string; expiresAt: string }
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(30 * 86_400_000)
  })

  test('a scope that is named more than once is held once', async () => {
    const { json: made } = await postKey(server(), { name: 'a', scopes: ['chat', 'read', 'chat'] })
    const { id } = made as Made
    const { json: listed } = await askWithKey(server(), 'GET', '/keys')
    expect(made).toMatchObject({ scopes: ['chat', 'read'] })
    expect((listed as { keys: object[] }).keys).toContainEqual(
      expect.objectContaining({ id, scopes: ['chat', 'read'] }),
    )
  })

  test('GET /keys lists the keys that are not revoked, without the keys themselves', async () => {
    const [kept, gone] = [await makeKey(server(), 'control'), await makeKey(server(), 'control')]
    await revoke(server(), gone)
    const { text, json: listed } = await askWithKey(server(), 'GET', '/keys')
    const ids = (listed as { keys: { id: string }[] }).keys.map(({ id }) => id)
    expect([ids.includes(kept.id), ids.includes(gone.id)]).toEqual([true, false])
    expect(text).not.toContain(kept.key)
    expect(text).not.toContain('digest')
  })

  test('GET /keys tells when a key was last used', async () => {
    const one = await makeKey(server(), 'read')
    const lastUsed = async () => {
      const { json: listed } = await askWithKey(server(), 'GET', '/keys')
      const record = (listed as { keys: { id: string; lastUsedAt?: string }[] }).keys.find(
        ({ id }) => id === one.id,
      )
      return record?.lastUsedAt
    }
    expect(await lastUsed()).toBeUndefined()
    await askWithKey(as(one), 'GET', '/players')
    await eventually(async () => expect(await lastUsed()).toMatch(/^\d{4}-.*Z$/))
  })

  test('a revoked key is as a wrong one, at once; to revoke it again is 404 key_not_found', async () => {
    const one = await makeKey(server(), 'read')
    expect((await askWithKey(as(one), 'GET', '/players')).status).toBe(200)
    expect((await revoke(server(), one)).json).toEqual({
      success: true,
      message: `Key ${one.id} is revoked`,
    })
    expectProblem(await askWithKey(as(one), 'GET', '/players'), 401, 'unauthorized')
    expectProblem(await revoke(server(), one), 404, 'key_not_found')
    expectProblem(await revoke(server(), { id: 'x'.repeat(200), key: '' }), 404, 'key_not_found')
  })

  test('a key whose secret is another is wrong', async () => {
    const { key } = await makeKey(server(), 'read')
    const other = `${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`
    for (const wrong of [other, key.slice(0, -1), `${key}A`, key.replace('fg_', 'fg_0')])
      expectProblem(await askWithKey(as({ key: wrong }), 'GET', '/players'), 401, 'unauthorized')
  })

  test('/status shows invite codes to a key that has read, and to no other', async () => {
    const codes = async (scope: Scope) => {
      const { json: status } = await askWithKey(as(await keyOf(scope)), 'GET', '/status')
      return Object.keys(status as object).includes('steamInviteCode')
    }
    expect(await Promise.all(scopes.map(codes))).toEqual([true, false, false, true])
  })

  describe('the body of POST /keys', () => {
    test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', ''])(
      'is refused with 415 unsupported_media_type as %j',
      async (type) => {
        const sent = { name: 'a', scopes: ['read'] }
        expectProblem(await postKey(server(), sent, { 'Content-Type': type }), 415, 'unsupported_media_type')
      },
    )

    test('is read as application/json in any case, with parameters', async () => {
      const type = { 'Content-Type': 'Application/JSON; charset=utf-8' }
      expect((await postKey(server(), { name: 'a', scopes: ['read'] }, type)).status).toBe(201)
    })

    test.each([
      ['a member that is not known, by its name', { name: 'a', scopes: ['read'], admin: true }, 'admin'],
      ['no name', { scopes: ['read'] }, 'name'],
      ['a blank name', { name: ' ', scopes: ['read'] }, 'name'],
      ['a name with blanks at its ends', { name: ' a', scopes: ['read'] }, 'name'],
      ['a name that is too long', { name: 'x'.repeat(65), scopes: ['read'] }, 'name'],
      ['no scopes', { name: 'a' }, 'scopes'],
      ['an empty list of scopes', { name: 'a', scopes: [] }, 'scopes'],
      ['a scope that is none', { name: 'a', scopes: ['root'] }, 'scopes'],
      ['an end at once', { name: 'a', scopes: ['read'], expiresInDays: 0 }, 'expiresInDays'],
      ['an end that is a text', { name: 'a', scopes: ['read'], expiresInDays: '1' }, 'expiresInDays'],
    ])('is refused with %s', async (_what, body, parameter) => {
      const reply = await postKey(server(), body)
      expectProblem(reply, 400, 'invalid_parameter', { parameter })
      expect((reply.json as { error: string }).error).toContain(`'${parameter}'`)
    })

    test.each(['', '{', '5', 'null', '"a"'])('is refused as %j', async (body) => {
      expectProblem(await postKey(server(), body), 400, 'invalid_parameter')
    })

    test('is at most 16 KiB', async () => {
      const reply = await postKey(server(), { name: 'x'.repeat(16 * 1024), scopes: ['read'] })
      expectProblem(reply, 413, 'payload_too_large')
    })
  })

  test('a bot with a chat key can talk and nothing else; when the key is revoked, its sockets are closed with 1008', async () => {
    const bot = await makeKey(server(), 'chat')
    const clients = [await openAuthenticated({ ...server(), key: bot.key })]
    clients.push(await openAuthenticated({ ...server(), key: bot.key }))
    const [one] = clients as [ChatClient]
    one.send(say('l1'))
    await one.take('chat_sent')
    await server().farm.join({ id: 41n, name: 'Abby' })
    await server().farm.say(41n, 'hello bot')
    expect((await one.take('chat')).payload).toMatchObject({ message: 'hello bot' })
    one.send({ type: 'subscribe', payload: { topics: ['players'] } })
    expect((await one.take('error')).payload).toMatchObject({ code: 'insufficient_scope', scope: 'read' })
    expectProblem(await askWithKey(as(bot), 'GET', '/players'), 403, 'insufficient_scope', { scope: 'read' })

    await revoke(server(), bot)
    for (const { closed } of clients)
      expect(await closed).toEqual({ code: 1008, reason: 'The key is no longer valid' })
    const late = await openChat(server())
    late.send({ type: 'auth', payload: { token: bot.key } })
    await late.take('auth_failed')
  })

  test('a key that has neither read nor chat is told so on /ws, and the socket stays', async () => {
    const client = await openAuthenticated({ ...server(), key: (await keyOf('control')).key })
    expect((await client.take('error')).payload).toMatchObject({ code: 'insufficient_scope', scope: 'read' })
    await server().farm.join({ id: 42n, name: 'Sam' })
    await server().farm.say(42n, 'not for it')
    const hearing = await openAuthenticated(server())
    await server().farm.say(42n, 'for the other')
    await hearing.take('chat')
    await client.settled()
    expect(client.messages('chat')).toEqual([])
  })

  test('a long poll that is under way when its key is revoked ends with 401', async () => {
    const one = await makeKey(server(), 'read')
    const poll = askWithKey(as(one), 'GET', '/wait/players?playerId=999&timeout=10000')
    // A request that comes after that of the poll, and is answered, says that the key was still good then.
    expect((await askWithKey(as(one), 'GET', '/players')).status).toBe(200)
    await revoke(server(), one)
    expectProblem(await poll, 401, 'unauthorized')
  })

  test('what needs no key is answered to a key of any scope', async () => {
    const replies: readonly Reply[] = await Promise.all(
      scopes.map(async (scope) => askWithKey(as(await keyOf(scope)), 'GET', '/ready')),
    )
    expect(replies.map(({ status }) => status)).toEqual(scopes.map(() => 200))
    expect((await ask(server(), 'GET', '/ready')).status).toBe(200)
  })
}
