/** People who sign in with their own accounts (docs/keys-and-records.md): every runtime keeps these promises. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Browser, browser } from '../accounts/browser.ts'
import { farmWithAccounts } from '../accounts/farm-with-accounts.ts'
import type { Front } from '../accounts/front.ts'
import type { Issuer } from '../accounts/issuer.ts'
import { signInWith } from '../accounts/sign-in.ts'
import { eventually } from '../wait.ts'
import { openChat, refusedHandshake } from './chat-client.ts'
import { ask, askWithKey, expectProblem } from './request.ts'
import type { RuntimeUnderTest, ServerUnderTest } from './server-under-test.ts'
import { ownServer } from './shared-server.ts'

const day = 86_400_000

export function accountsContract({ start, origin }: RuntimeUnderTest): void {
  let issuer: Issuer
  let front: Front
  let server: ServerUnderTest
  let stop: () => Promise<void>
  let clock = 0

  beforeAll(async () => {
    const now = () => Date.now() + clock
    ;({ issuer, front, server, stop } = await farmWithAccounts((signIn) => start({ signIn }), { now }))
  })
  afterAll(() => stop())
  afterEach(() => issuer.reset())

  const be = (name: string, groups: readonly string[] = []) => {
    issuer.person = {
      id: String(name.length) + String(Number(Buffer.from(name.slice(0, 6)).readUIntBE(0, 3))),
      name,
      groups,
    }
  }
  /** Someone who has signed in. */
  const friend = async (
    name: string,
    provider = 'discord',
    groups: readonly string[] = [],
  ): Promise<Browser> => {
    be(name, groups)
    const one = browser(front.url)
    await one.signIn(provider)
    return one
  }
  const own = async (one: Browser) => (await one.fetch('GET', '/keys/own')).json
  const admin = (method: string, path: string, body?: object) =>
    askWithKey(server, method, path, { json: body })
  const accountOf = async (one: Browser): Promise<string> =>
    (Object((await own(one)) as object) as { account: { id: string } }).account.id
  const give = async (one: Browser, ...scopes: readonly string[]) =>
    expect((await admin('PATCH', `/accounts?id=${await accountOf(one)}`, { scopes })).status).toBe(200)
  const socketOf = (one: Browser, headers: Record<string, string> = {}) =>
    openChat(
      { wsUrl: `${front.url.replace('http', 'ws')}/ws` },
      { headers: { Cookie: one.cookie, Origin: front.url, ...headers } },
      one.protocols,
    )
  const invite = async (more: object = {}) => {
    const { json } = await admin('POST', '/invitations', { scopes: ['read', 'chat'], ...more })
    const { url, id } = json as { url: string; id: string }
    return { id, url, code: url.split('#invitation=')[1] ?? '' }
  }
  const accept = (one: Browser, code: string) => one.fetch('POST', '/invitations/accept', { json: { code } })

  describe('sign-in', () => {
    test('GET /sign-in lists the providers without a key', async () => {
      const { json } = await browser(front.url).fetch('GET', '/sign-in')
      expect(json).toEqual({
        providers: [
          { id: 'discord', name: 'Discord' },
          { id: 'oidc', name: 'Valley ID' },
        ],
      })
    })

    test.each(['discord', 'oidc'])(
      'with %s gives a session without any scope, which GET /keys/own describes',
      async (provider) => {
        const one = await friend('Robin', provider)
        expect(await own(one)).toEqual({
          id: expect.stringMatching(/^[0-9a-f]{12}$/),
          name: 'Robin',
          scopes: [],
          account: { id: expect.stringMatching(/^[0-9a-f]{12}$/), provider, name: 'Robin' },
        })
        expectProblem(await one.fetch('GET', '/players'), 403, 'insufficient_scope', { scope: 'read' })
      },
    )

    test('can begin in two tabs of a browser, and both end at the local path of their next', async () => {
      be('Robin')
      const one = browser(front.url)
      const pages = [await one.begin('oidc', '/#first'), await one.begin('discord', '/#second')]
      const ends = []
      for (const page of pages)
        ends.push(await one.land((await one.comeBack(page)).headers.get('location') ?? ''))
      expect(ends).toEqual([`${front.url}/#first`, `${front.url}/#second`])
    })

    test.each([
      ['oidc', '/token'],
      ['discord', '/api/v10/oauth2/token'],
    ])(
      'with %s is 502 issuer_unavailable while the provider does not answer, and nothing else fails',
      async (provider, at) => {
        const one = browser(front.url)
        const page = await one.begin(provider)
        issuer.instead = (path, response) => path === at && Boolean(response.destroy())
        expectProblem(await one.comeBack(page), 502, 'issuer_unavailable', { retry: true })
        expect(one.cookies.has('farmgate')).toBe(false)
        expect((await one.fetch('GET', '/status')).status).toBe(200)
      },
    )

    test.each([
      ...[
        '//evil.example',
        '/\\evil.example',
        'https://evil.example',
        'evil',
        '/\t/evil.example',
        '\\',
        '/%0d',
      ],
    ])('refuses the next %j, which is not a local path', async (next) => {
      const path = `/sign-in/oidc?next=${next === '/%0d' ? '/%0d' : encodeURIComponent(next)}`
      const reply = await browser(front.url).fetch('GET', path)
      expectProblem(reply, 400, 'invalid_parameter', { parameter: 'next' })
      expect(reply.headers.getSetCookie()).toEqual([])
    })

    test('sets a cookie that scripts cannot read, for this host only', async () => {
      be('Robin')
      const one = browser(front.url)
      const reply = await one.comeBack(await one.begin('oidc'))
      expect(reply.headers.getSetCookie()).toEqual([
        expect.stringMatching(
          /^farmgate=fs_[0-9a-f]{12}_[\w-]{43}; Path=\/; Max-Age=34560000; HttpOnly; SameSite=Lax$/,
        ),
      ])
    })

    test('is one row of the audit, with the person', async () => {
      const one = await friend('Marnie')
      const account = { id: await accountOf(one), provider: 'discord', name: 'Marnie' }
      const { json } = await admin('GET', '/audit?action=endSignIn&limit=1')
      expect(json).toMatchObject({
        entries: [{ account, origin, outcome: 'done', parameters: { provider: 'discord' } }],
      })
    })

    test('asks Discord for no more than the person, and for the roles where a Discord server is bound', async () => {
      be('Robin')
      const scopeOf = async () => new URL(await browser(front.url).begin('discord')).searchParams.get('scope')
      expect(await scopeOf()).toBe('identify')
      const { code } = await server.records.of('local').makeDiscordCode()
      await server.records.of('local').bindDiscordServer({ code, serverId: '41' })
      expect(await scopeOf()).toBe('identify guilds.members.read')
    })
  })

  describe('a session', () => {
    test('is listed under GET /keys with its person and end, and DELETE /keys ends it and its sockets', async () => {
      const one = await friend('Abigail')
      await give(one, 'read', 'chat')
      const socket = await socketOf(one)
      const { id } = (await own(one)) as { id: string }
      const { keys } = (await admin('GET', '/keys')).json as { keys: { id: string }[] }
      expect(keys).toContainEqual({
        id,
        name: 'Abigail',
        scopes: ['read', 'chat'],
        createdAt: expect.any(String),
        expiresAt: expect.any(String),
        lastUsedAt: expect.any(String),
        account: { id: await accountOf(one), provider: 'discord', name: 'Abigail' },
      })
      await admin('DELETE', `/keys?id=${id}`)
      expect(await socket.closed).toMatchObject({ code: 1008 })
      expectProblem(await one.fetch('GET', '/keys/own'), 401, 'unauthorized')
    })

    test('works only as a cookie, and a key does not work as its cookie', async () => {
      const one = await friend('Robin')
      const value = one.cookies.get('farmgate') ?? ''
      const asKey = await browser(front.url).fetch('GET', '/keys/own', {
        headers: { Authorization: `Bearer ${value}` },
      })
      expectProblem(asKey, 401, 'unauthorized')
      one.cookies.set('farmgate', server.key)
      expectProblem(await one.fetch('GET', '/keys/own'), 401, 'unauthorized')
      const socket = await openChat(server)
      socket.send({ type: 'auth', payload: { token: value } })
      expect(await socket.closed).toMatchObject({ code: 1008 })
    })

    test('gives way to a Bearer key in the same request, also to a wrong one', async () => {
      const one = await friend('Robin')
      const asked = (key: string) =>
        one.fetch('GET', '/keys/own', { headers: { Authorization: `Bearer ${key}` } })
      expect((await asked(server.key)).json).toMatchObject({ id: 'api_key' })
      expectProblem(await asked('wrong'), 401, 'unauthorized')
    })

    test('ends with POST /sign-out, which removes the cookie; everywhere=true ends all of the person', async () => {
      const [here, there, phone] = [await friend('Sam'), await friend('Sam'), await friend('Sam')]
      expect((await here.fetch('POST', '/sign-out')).json).toEqual({
        success: true,
        message: 'You are signed out',
      })
      expect(here.cookies.has('farmgate')).toBe(false)
      expect(await own(there)).toMatchObject({ name: 'Sam' })
      await there.fetch('POST', '/sign-out?everywhere=true')
      expectProblem(await phone.fetch('GET', '/keys/own'), 401, 'unauthorized')
      expect((await admin('GET', '/audit?action=signOut&limit=2')).json).toMatchObject({
        entries: [{ account: { name: 'Sam' }, outcome: 'done' }, { account: { name: 'Sam' } }],
      })
    })

    test('downloads by a one-time address, whose link sends no secret, and which ends with the session', async () => {
      const one = await friend('Penny')
      await give(one, 'admin')
      const make = async () => {
        const made = await one.fetch('POST', '/downloads', { json: { path: '/audit/export' } })
        return `/${(made.json as { readonly url: string }).url}`
      }
      const headers = { Cookie: one.cookie }
      const [used, left] = [await make(), await make()]
      const lines = await ask(server, 'GET', used, { headers })
      expect([lines.status, lines.text.split('\n')[0]]).toEqual([
        200,
        expect.stringContaining('createDownload'),
      ])
      expectProblem(await ask(server, 'GET', '/audit/export', { headers }), 401, 'unauthorized')
      await one.fetch('POST', '/sign-out')
      expectProblem(await ask(server, 'GET', left, { headers }), 404, 'download_not_found')
    })

    test('cannot be ended by a key: not_signed_in', async () => {
      expectProblem(await admin('POST', '/sign-out'), 409, 'not_signed_in')
    })

    // The edge judges by its own clock, which the suite cannot set.
    if (origin === 'local')
      test('ends after 30 days without use, and each use begins them again', async () => {
        const [used, unused] = [await friend('Linus'), await friend('Linus')]
        try {
          clock = 29 * day
          expect(await own(used)).toMatchObject({ name: 'Linus' })
          await server.records.keysChanged()
          clock = 31 * day
          expect(await own(used)).toMatchObject({ name: 'Linus' })
          expectProblem(await unused.fetch('GET', '/keys/own'), 401, 'unauthorized')
          await server.records.keysChanged()
          const { keys } = (await admin('GET', '/keys')).json as { keys: { name: string }[] }
          expect(keys.filter(({ name }) => name === 'Linus')).toHaveLength(1)
        } finally {
          clock = 0
          await server.records.keysChanged()
        }
      })
  })

  describe('with the cookie of a session', () => {
    test('alone, as every other port of the host gets it, everything is as without it', async () => {
      const one = await friend('Abigail')
      await give(one, 'admin')
      const Cookie = one.cookie
      const asked = (method: string, path: string, headers: Record<string, string> = {}) =>
        ask({ url: front.url }, method, path, { headers: { Cookie, Origin: front.url, ...headers } })
      const other = (await friend('Caroline')).secret ?? ''
      for (const sent of [{}, { 'Farmgate-Session': 'guess' }, { 'Farmgate-Session': other }]) {
        expectProblem(await asked('GET', '/keys/own', sent), 401, 'unauthorized')
        expectProblem(await asked('POST', '/sign-out', sent), 401, 'unauthorized')
        expect((await asked('GET', '/status', sent)).status).toBe(200)
      }
      const socket = await openChat(
        { wsUrl: `${front.url.replace('http', 'ws')}/ws` },
        { headers: { Cookie, Origin: front.url } },
      )
      socket.send({ type: 'auth' })
      await socket.take('auth_failed')
      expect(await own(one)).toMatchObject({ name: 'Abigail' })
    })

    test('the secret is handed over once, for the code in the fragment of the page, and counts for no other cookie', async () => {
      be('Robin')
      const one = browser(front.url)
      const landed = (await one.comeBack(await one.begin('oidc'))).headers.get('location') ?? ''
      const [, code = ''] = /#session=([\w-]{43})$/.exec(landed) ?? []
      const take = (from: Browser) => from.fetch('POST', '/sign-in/session', { json: { code } })
      const foreign = { json: { code }, headers: { Origin: 'http://127.0.0.1:1' } }
      expectProblem(await one.fetch('POST', '/sign-in/session', foreign), 403, 'origin_not_allowed')
      const { secret } = (await take(one)).json as { secret: string }
      expect(secret).toMatch(/^[\w-]{43}$/)
      expectProblem(await take(one), 409, 'not_signed_in')
      one.secret = secret
      expect(await own(one)).toMatchObject({ name: 'Robin' })
      const other = await friend('Robin')
      other.secret = secret
      expectProblem(await other.fetch('GET', '/keys/own'), 401, 'unauthorized')
      expect(JSON.stringify((await admin('GET', '/audit?limit=50')).json)).not.toContain(code)
    })

    const headersOf = (sent: string | undefined) => (sent === undefined ? {} : { Origin: sent })
    const foreign = [
      ['without an Origin', undefined],
      ['from another page', 'https://evil.example'],
      ['from Origin: null', 'null'],
      ['from a page of the same host on another port', 'http://127.0.0.1:1'],
      ['from the same host over HTTPS', 'https://127.0.0.1'],
    ] as const

    /** A request with the cookie and only these headers. */
    const bare = async (
      one: Browser,
      method: string,
      path: string,
      headers: Record<string, string>,
      type = 'application/json',
    ) => {
      const body = JSON.stringify({ scopes: ['admin'] })
      return ask({ url: front.url }, method, path, {
        headers: { ...one.own, 'Content-Type': type, ...headers },
        body,
      })
    }

    test.each(foreign)('a change %s is 403 origin_not_allowed, and is not made', async (_from, sent) => {
      const one = await friend('Robin')
      await give(one, 'admin')
      const before = (await admin('GET', '/invitations')).json
      for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded']) {
        const reply = await bare(one, 'POST', '/invitations', headersOf(sent), type)
        expectProblem(reply, 403, 'origin_not_allowed')
      }
      expectProblem(await bare(one, 'POST', '/sign-out', headersOf(sent)), 403, 'origin_not_allowed')
      expect((await admin('GET', '/invitations')).json).toEqual(before)
      expect(await own(one)).toMatchObject({ name: 'Robin' })
    })

    test.each(foreign)('/ws %s is 403 before 101', async (_from, sent) => {
      const one = await friend('Robin')
      const wsUrl = `${front.url.replace('http', 'ws')}/ws`
      const refused = await refusedHandshake(wsUrl, { headers: { Cookie: one.cookie, ...headersOf(sent) } })
      expect(refused).toMatchObject({ status: 403, json: { code: 'origin_not_allowed' } })
    })

    test('/ws is signed in from the start, and auth without a token is auth_success', async () => {
      const one = await friend('Penny')
      await give(one, 'read', 'chat')
      const socket = await socketOf(one)
      socket.send({ type: 'subscribe', payload: { topics: ['players'] } })
      await socket.take('snapshot')
      socket.send({ type: 'auth' })
      await socket.take('auth_success')
      socket.send({ type: 'chat_send', payload: { author: 'Penny', message: 'hello', id: 1 } })
      await socket.take('chat_sent')
      expect((await admin('GET', '/audit?action=chat_send&limit=1')).json).toMatchObject({
        entries: [{ account: { name: 'Penny' }, outcome: 'done' }],
      })
    })

    test('credentials of a proxy in Authorization do not hide the cookie', async () => {
      const one = await friend('Robin')
      const reply = await one.fetch('GET', '/keys/own', { headers: { Authorization: 'Basic cHJveHk6eA==' } })
      expect(reply.json).toMatchObject({ account: { name: 'Robin' } })
    })

    test('/ws with a Bearer key in addition to the cookie needs auth, as it does without a cookie', async () => {
      const one = await friend('Penny')
      await give(one, 'read', 'chat')
      const socket = await socketOf(one, { Authorization: `Bearer ${server.key}` })
      socket.send({ type: 'auth' })
      await socket.take('auth_failed')
    })

    test('a socket loses what its person loses', async () => {
      const one = await friend('Emily')
      await give(one, 'read', 'chat')
      const socket = await socketOf(one)
      await give(one, 'read')
      await eventually(async () => {
        socket.send({ type: 'chat_send', payload: { author: 'Emily', message: 'hello' } })
        expect(await socket.take('error')).toMatchObject({ payload: { code: 'insufficient_scope' } })
      })
    })

    test('sent twice, as another host of the domain could, the session of the secret counts and no other', async () => {
      const [one, attacker] = [await friend('Robin'), await friend('Abigail')]
      const asked = (tossed: string) =>
        one.fetch('GET', '/keys/own', { headers: { Cookie: `farmgate=${tossed}; ${one.cookie}` } })
      expect((await asked('fs_000000000000_tossed')).json).toMatchObject({ name: 'Robin' })
      expect((await asked(attacker.cookies.get('farmgate') ?? '')).json).toMatchObject({ name: 'Robin' })
    })

    test('a session of another farm of this host stays in the cookie, because browsers ignore the port', async () => {
      be('Robin')
      const one = browser(front.url)
      const foreign = 'fs_aaaaaaaaaaaa_of-another-port'
      one.cookies.set('farmgate', foreign)
      await one.signIn('oidc')
      expect(await own(one)).toMatchObject({ name: 'Robin' })
      expect(one.cookies.get('farmgate')).toMatch(
        /^fs_[0-9a-f]{12}_[\w-]{43}\.fs_aaaaaaaaaaaa_of-another-port$/,
      )
      // The other farm has put its own session first.
      one.cookies.set('farmgate', (one.cookies.get('farmgate') ?? '').split('.').toReversed().join('.'))
      expect(await own(one)).toMatchObject({ name: 'Robin' })
      expect((await one.fetch('POST', '/sign-out')).status).toBe(200)
      expect(one.cookies.get('farmgate')).toBe(foreign)
    })
  })

  describe('an invitation', () => {
    test('shows what it gives without a session, and gives it to the person who accepts', async () => {
      const one = await friend('Jodi')
      const { url, code } = await invite({ expiresInDays: 2 })
      expect(url).toBe(`${front.url}/#invitation=${code}`)
      expect(code).toMatch(/^[\w-]{43}$/)
      const shown = await browser(front.url).fetch('POST', '/invitations/show', { json: { code } })
      expect(shown.json).toEqual({ scopes: ['read', 'chat'], expiresAt: expect.any(String) })
      expect((await accept(one, code)).json).toEqual({ scopes: ['read', 'chat'] })
      expect((await one.fetch('GET', '/players')).status).toBe(200)
      expect(JSON.stringify((await admin('GET', '/audit?limit=5')).json)).not.toContain(code)
    })

    test('is 404 invitation_not_found when it is unknown, used up, expired or deleted', async () => {
      const [one, other] = [await friend('Kent'), await friend('Pam')]
      const usedUp = await invite()
      expect((await accept(one, usedUp.code)).status).toBe(200)
      const deleted = await invite()
      await admin('DELETE', `/invitations?id=${deleted.id}`)
      const expired = await invite({ expiresInDays: 1 })
      for (const { code } of [usedUp, deleted, { code: 'unknown' }])
        for (const path of ['/invitations/show', '/invitations/accept'])
          expectProblem(await other.fetch('POST', path, { json: { code } }), 404, 'invitation_not_found')
      clock = 2 * day
      const late = await other.fetch('POST', '/invitations/show', { json: { code: expired.code } })
      clock = 0
      expectProblem(late, 404, 'invitation_not_found')
    })

    test('accepted again by the same person takes no further use', async () => {
      const [one, other] = [await friend('Shane'), await friend('Jas')]
      const { code } = await invite({ uses: 2 })
      for (const who of [one, one, one, other]) expect((await accept(who, code)).status).toBe(200)
      expect((await accept(await friend('Vincent'), code)).status).toBe(404)
    })

    test('is used once by each account: it does not give back what an admin has taken', async () => {
      const one = await friend('Leah')
      const { code } = await invite({ uses: 5 })
      expect((await accept(one, code)).json).toEqual({ scopes: ['read', 'chat'] })
      await give(one)
      expectProblem(await accept(one, code), 404, 'invitation_not_found')
      expect(await own(one)).toMatchObject({ scopes: [] })
      expect((await accept(await friend('Elliott'), code)).status).toBe(200)
    })

    test('is for people: a key is not_signed_in', async () => {
      const { code } = await invite()
      expectProblem(await admin('POST', '/invitations/accept', { code }), 409, 'not_signed_in')
    })
  })

  describe('an account', () => {
    test('gets the scopes of its Discord roles and OIDC groups at sign-in, and loses them with the mapping', async () => {
      const groups = [
        { provider: 'discord', id: '77', scopes: ['control'] },
        { provider: 'oidc', id: 'farmers', scopes: ['read'] },
      ]
      await admin('PATCH', '/accounts/groups', { groups })
      const { code } = await server.records.of('local').makeDiscordCode()
      await server.records.of('local').bindDiscordServer({ code, serverId: '41' })
      const [discord, oidc] = [
        await friend('Clint', 'discord', ['77', '78']),
        await friend('Gus', 'oidc', ['farmers']),
      ]
      expect(await own(discord)).toMatchObject({ scopes: ['control'] })
      expect(await own(oidc)).toMatchObject({ scopes: ['read'] })
      await admin('PATCH', '/accounts/groups', { groups: [] })
      expect(await own(discord)).toMatchObject({ scopes: [] })
    })

    test('keeps the roles of the other Discord servers when one fails or limits the rate for long', async () => {
      await admin('PATCH', '/accounts/groups', {
        groups: [{ provider: 'discord', id: '77', scopes: ['control'] }],
      })
      for (const serverId of ['41', '42', '43']) {
        const { code } = await server.records.of('local').makeDiscordCode()
        await server.records.of('local').bindDiscordServer({ code, serverId })
      }
      let limited = 0
      issuer.instead = (path, response) => {
        if (path.endsWith('/guilds/41/member')) return Boolean(response.writeHead(500).end('{}'))
        if (path.endsWith('/guilds/42/member'))
          return Boolean(response.writeHead(429, { 'Retry-After': '600' }).end('{}'))
        if (!path.endsWith('/guilds/43/member') || limited > 0) return false
        limited += 1
        return Boolean(response.writeHead(429, { 'Retry-After': '0.1' }).end('{}'))
      }
      expect(await own(await friend('Maru', 'discord', ['77']))).toMatchObject({ scopes: ['control'] })
      for (const id of ['42', '43']) await admin('DELETE', `/discord/servers?id=${id}`)
      const alone = await friend('Maru', 'discord', ['77'])
      expect(await own(alone)).toMatchObject({ name: 'Maru', scopes: [] })
      await admin('PATCH', '/accounts/groups', { groups: [] })
    })

    test('gets nothing of a Discord role while no Discord server is bound, and the answer says so', async () => {
      for (const { id } of await server.records.calls.storedDiscordServers())
        await admin('DELETE', `/discord/servers?id=${id}`)
      const groups = [{ provider: 'discord', id: '77', scopes: ['control'] }]
      expect((await admin('PATCH', '/accounts/groups', { groups })).json).toMatchObject({
        message: expect.stringContaining('until a Discord server is bound'),
      })
      expect(await own(await friend('Clint', 'discord', ['77']))).toMatchObject({ scopes: [] })
      expect((await admin('PATCH', '/accounts/groups', { groups: [] })).json).toMatchObject({
        message: 'The groups are set',
      })
    })

    test('has the same roles as /farm in Discord', async () => {
      const { code } = await server.records.of('local').makeDiscordCode()
      await server.records.of('local').bindDiscordServer({ code, serverId: '41' })
      await admin('PATCH', '/discord/servers', { id: '41', roles: [{ id: '90', scopes: ['chat'] }] })
      expect(await own(await friend('Evelyn', 'discord', ['90']))).toMatchObject({ scopes: ['chat'] })
      await admin('PATCH', '/accounts/groups', {
        groups: [{ provider: 'discord', id: '91', scopes: ['admin'] }],
      })
      const { roles } = await server.records.of('local').heardDiscord({ id: '1', serverId: '41' })
      expect(roles).toContainEqual({ id: '91', scopes: ['chat', 'control'] })
      await admin('PATCH', '/accounts/groups', { groups: [] })
    })

    test('outlives its sessions in a schedule, which is disabled when the person has lost the scope', async () => {
      const one = await friend('Harvey')
      await give(one, 'admin')
      const id = await accountOf(one)
      const request = { name: 'Display', cron: '0 5 1 1 *', do: { action: 'rendering', fps: 7 } }
      const made = await one.fetch('POST', '/schedules', { json: request })
      expect(made.status).toBe(201)
      const path = `/schedules/run?id=${(made.json as { id: string }).id}`
      await one.fetch('POST', '/sign-out')
      expect((await admin('POST', path)).json).toMatchObject({ last: { outcome: 'succeeded' } })
      await admin('PATCH', `/accounts?id=${id}`, { scopes: ['read'] })
      expect((await admin('POST', path)).json).toMatchObject({
        last: { outcome: 'failed', detail: expect.stringContaining('Harvey') },
      })
    })

    test('is shown with the keys that it made, also by way of another key, and its deletion names or revokes them', async () => {
      const one = await friend('Pierre')
      await give(one, 'admin')
      const madeBy = { id: await accountOf(one), provider: 'discord', name: 'Pierre' }
      const request = (name: string) => ({ json: { name, scopes: ['admin'] } })
      const first = (await one.fetch('POST', '/keys', request('first'))).json as { id: string; key: string }
      expect(first).toMatchObject({ madeBy })
      const { json } = await askWithKey({ ...server, key: first.key }, 'POST', '/keys', request('second'))
      const second = json as { id: string; key: string }
      const works = async () =>
        (await askWithKey({ ...server, key: second.key }, 'GET', '/keys/own')).status === 200
      const listed = async () => {
        const { keys } = (await admin('GET', '/keys')).json as { keys: { id: string; madeBy?: object }[] }
        return keys.filter(({ id }) => id === first.id || id === second.id)
      }
      expect(await listed()).toMatchObject([{ madeBy }, { madeBy }])
      const removed = await admin('DELETE', `/accounts?id=${madeBy.id}`)
      expect(removed.json).toMatchObject({
        message: expect.stringContaining(`still valid: ${first.id}, ${second.id}`),
      })
      expect([await works(), (await listed()).map((key) => key.madeBy)]).toEqual([
        true,
        [undefined, undefined],
      ])
      for (const { id } of [first, second]) await admin('DELETE', `/keys?id=${id}`)

      const again = await friend('Pierre')
      await give(again, 'admin')
      const third = (await again.fetch('POST', '/keys', request('third'))).json as { id: string; key: string }
      const withKeys = await admin('DELETE', `/accounts?id=${await accountOf(again)}&keys=true`)
      expect(withKeys.json).toMatchObject({ message: expect.stringContaining(`revoked: ${third.id}`) })
      expectProblem(await askWithKey({ ...server, key: third.key }, 'GET', '/keys/own'), 401, 'unauthorized')
    })

    test('deleted, loses its sessions, and a new sign-in is another account without scopes', async () => {
      const one = await friend('Willy')
      await give(one, 'admin')
      const id = await accountOf(one)
      expect((await admin('DELETE', `/accounts?id=${id}`)).status).toBe(200)
      expectProblem(await one.fetch('GET', '/keys/own'), 401, 'unauthorized')
      expectProblem(await admin('DELETE', `/accounts?id=${id}`), 404, 'account_not_found')
      const again = await friend('Willy')
      expect(await accountOf(again)).not.toBe(id)
      expect(await own(again)).toMatchObject({ scopes: [] })
    })
  })

  test('without providers no one can sign in: 501 names the variable to set', async () => {
    const server = await ownServer(start)
    expect((await ask(server, 'GET', '/sign-in')).json).toEqual({ providers: [] })
    for (const [path, variable] of [
      ['/sign-in/discord', 'SIGN_IN_DISCORD_CLIENT_ID'],
      ['/sign-in/oidc', 'SIGN_IN_OIDC_ISSUER'],
      ['/sign-in/callback', 'PUBLIC_URL'],
    ] as const) {
      const reply = await ask(server, 'GET', path)
      expectProblem(reply, 501, 'unsupported')
      expect(reply.text).toContain(variable)
    }
  })

  // At the edge the address of the request decides, which is plain HTTP here.
  if (origin === 'local')
    test('on a page with HTTPS the cookies are __Host- and Secure, and changes need the origin of that page', async () => {
      const page = 'https://farm.example'
      const server = await ownServer(start, { signIn: signInWith(issuer, page) })
      const begun = await ask(server, 'GET', '/sign-in/oidc')
      const [attempt = ''] = begun.headers.getSetCookie()
      expect(attempt).toMatch(
        /^__Host-farmgate\.sign-in=[\w-]{43}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/,
      )
      const back = await ask({ url: '' }, 'GET', begun.headers.get('location') ?? '')
      const path = (back.headers.get('location') ?? '').slice(page.length)
      const ended = await ask(server, 'GET', path, { headers: { Cookie: attempt.split(';')[0] ?? '' } })
      const location = ended.headers.get('location') ?? ''
      expect(location).toMatch(/^https:\/\/farm\.example\/#session=[\w-]{43}$/)
      const json = { code: location.split('=')[1] }
      const taken = (await ask(server, 'POST', '/sign-in/session', { json })).json as { secret: string }
      const own = { 'Farmgate-Session': taken.secret }
      const [session = ''] = ended.headers.getSetCookie()
      expect(session).toMatch(
        /^__Host-farmgate=fs_[\w-]+; Path=\/; Max-Age=34560000; HttpOnly; SameSite=Lax; Secure$/,
      )
      const [Cookie = ''] = session.split(';')
      const signOut = (headers: Record<string, string>) =>
        ask(server, 'POST', '/sign-out', { headers: { ...own, ...headers } })
      expectProblem(await signOut({ Cookie, Origin: server.url }), 403, 'origin_not_allowed')
      expect((await ask(server, 'GET', '/keys/own', { headers: { ...own, Cookie } })).status).toBe(200)
      const plain = Cookie.replace('__Host-', '')
      expect((await ask(server, 'GET', '/keys/own', { headers: { ...own, Cookie: plain } })).status).toBe(401)
      expect((await signOut({ Cookie, Origin: page })).status).toBe(200)
    })
}
