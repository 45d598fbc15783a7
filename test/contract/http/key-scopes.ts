/** What a named key allows (docs/keys-and-records.md), over HTTP and on `/ws`, until it is revoked. */
import { describe, expect, test } from 'vitest'
import type { Endpoint } from '../../../handlers/endpoint.ts'
import { endpoints } from '../../../handlers/endpoints/all-endpoints.ts'
import { type Scope, scopes } from '../../../handlers/key-holder.ts'
import { type ChatClient, openAuthenticated, openChat } from '../chat-client.ts'
import { ask, askWithKey, expectProblem, type Reply } from '../request.ts'
import type { RuntimeUnderTest } from '../server-under-test.ts'
import { sharedServer } from '../shared-server.ts'
import { type Made, makeKey, revoke } from './made-key.ts'

const say = (id: string) => ({ type: 'chat_send', payload: { author: 'Bot', message: 'hello', id } })

/** Everything that needs a key: the endpoints, and the router's own paths. */
const keyed: readonly Pick<Endpoint, 'method' | 'path' | 'scope'>[] = [
  ...endpoints.filter(({ access }) => access === 'key'),
  { method: 'GET', path: '/metrics', scope: 'read' },
  { method: 'GET', path: '/audit/export', scope: 'admin' },
  { method: 'GET', path: '/backups/download', scope: 'admin' },
]

export function keyScopesContract({ start }: RuntimeUnderTest): void {
  const server = sharedServer(start)
  const as = ({ key }: { readonly key: string }) => ({ ...server(), key })

  /** One key for each scope, for the whole table. */
  const made = new Map<Scope, Promise<Made>>()
  const keyOf = (scope: Scope): Promise<Made> => {
    const known = made.get(scope) ?? makeKey(server(), scope)
    made.set(scope, known)
    return known
  }

  describe.each(scopes)('a key of the scope %s', (scope) => {
    test.each(keyed)(
      'at $method $path, which needs $scope (any scope if none is named)',
      async ({ method, path, scope: needed }) => {
        // Without parameters, or with an invalid body, no write is made; a long poll of a millisecond ends at once.
        const reply = await askWithKey(as(await keyOf(scope)), method, `${path}?timeout=1`, {
          ...(path === '/newgame' && { body: '{' }),
        })
        if (needed === undefined || scope === needed || scope === 'admin')
          expect([401, 403]).not.toContain(reply.status)
        else expectProblem(reply, 403, 'insufficient_scope', { scope: needed })
      },
    )
  })

  test('GET /keys/own returns the scopes of any key to its holder only', async () => {
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

  test('a key with the secret of another is wrong', async () => {
    const { key } = await makeKey(server(), 'read')
    const other = `${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`
    for (const wrong of [other, key.slice(0, -1), `${key}A`, key.replace('fg_', 'fg_0')])
      expectProblem(await askWithKey(as({ key: wrong }), 'GET', '/players'), 401, 'unauthorized')
  })

  test('/status shows invite codes to a key that has read, and to no other, also not to a wrong one', async () => {
    const codes = async ({ key }: { readonly key: string }) => {
      const { json: status } = await askWithKey(as({ key }), 'GET', '/status')
      return Object.keys(Object(status)).filter((member) => member.endsWith('InviteCode')).length
    }
    const shown = scopes.map(async (scope) => codes(await keyOf(scope)))
    expect([...(await Promise.all(shown)), await codes({ key: 'wrong-wrong-wrong' })]).toEqual([
      2, 0, 0, 2, 0,
    ])
  })

  test('a bot with a chat key can chat and nothing else; when the key is revoked, its sockets are closed with 1008', async () => {
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

  test('a key with neither read nor chat gets an error on /ws, and the socket stays', async () => {
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

  test('a pending long poll ends with 401 when its key is revoked', async () => {
    const one = await makeKey(server(), 'read')
    const poll = askWithKey(as(one), 'GET', '/wait/players?playerId=999&timeout=10000')
    // An answered request after that of the poll shows that the key was still valid then.
    expect((await askWithKey(as(one), 'GET', '/players')).status).toBe(200)
    await revoke(server(), one)
    expectProblem(await poll, 401, 'unauthorized')
  })

  test('public paths are answered to a key of any scope', async () => {
    const replies: readonly Reply[] = await Promise.all(
      scopes.map(async (scope) => askWithKey(as(await keyOf(scope)), 'GET', '/ready')),
    )
    expect(replies.map(({ status }) => status)).toEqual(scopes.map(() => 200))
    expect((await ask(server(), 'GET', '/ready')).status).toBe(200)
  })
}
