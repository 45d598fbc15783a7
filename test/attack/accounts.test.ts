/** Hostile browsers, providers that lie, and floods against sign-in (docs/keys-and-records.md, "Accounts"). */
import { createHash, createSign, generateKeyPairSync } from 'node:crypto'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { type Browser, browser } from '../accounts/browser.ts'
import { farmWithAccounts } from '../accounts/farm-with-accounts.ts'
import { openFront } from '../accounts/front.ts'
import { client, type Knobs } from '../accounts/issuer.ts'
import { signInWith } from '../accounts/sign-in.ts'
import { ask, askWithKey, expectProblem, type Reply } from '../contract/request.ts'
import { type NodeOptions, nodeServer } from '../runtime/node/node-server.ts'

let clock = 0
const { issuer, front, server, stop } = await farmWithAccounts((signIn) => nodeServer({ signIn }), {
  now: () => Date.now() + clock,
})
afterAll(stop)
afterEach(() => {
  issuer.reset()
  clock = 0
})

/** The page says why, and there is no session. */
function expectRefused(one: Browser, reply: Reply, why: string): void {
  expect([reply.status, reply.headers.get('location')]).toEqual([303, `${front.url}/#sign-in=${why}`])
  expect(one.cookies.has('farmgate')).toBe(false)
}

/** Sets a knob of the issuer. */
const knob =
  <Name extends keyof Knobs>(name: Name, value: Knobs[Name]) =>
  (): void => {
    Object.assign(issuer, { [name]: value })
  }

const sessions = async () => (await server.records.of('local').keys()).length
const unpadded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const partsOf = (jwt: string) => jwt.split('.') as [string, string, string]
const claimsOf = (jwt: string) => partsOf(jwt)[1]

/**
 * A farm with its own front, which has not read the description of the issuer yet. `fetch` keeps connections to a front
 * open, so a front that changed its server would still lead to the one before.
 */
async function fresh(options: Pick<NodeOptions, 'rates'> = {}) {
  const other = await openFront()
  const started = await nodeServer({ ...options, signIn: signInWith(issuer, other.url) })
  other.passTo(started.url)
  return {
    farm: started,
    one: browser(other.url),
    async stop() {
      other.stop()
      await started.stop()
    },
  }
}

describe('an answer that is not of this sign-in begins no session', () => {
  const swap = (name: string, value: string | undefined) => (query: URLSearchParams) => {
    if (value === undefined) query.delete(name)
    else query.set(name, value)
  }
  test.each<[string, (query: URLSearchParams) => void, string]>([
    ['without a state', swap('state', undefined), 'expired'],
    ['with another state', swap('state', '~e30~AAAA'), 'expired'],
    [
      'with a state that is not signed',
      (query) => query.set('state', (query.get('state') ?? '').replace(/~[^~]*$/, '~')),
      'expired',
    ],
    ['with a changed state', (query) => query.set('state', `other${query.get('state')}`), 'expired'],
    ['without an issuer', swap('iss', undefined), 'failed'],
    ['of another issuer', swap('iss', 'https://evil.example'), 'failed'],
    ['without a code', swap('code', undefined), 'failed'],
    ['with another code', swap('code', 'guessed'), 'failed'],
    ['with a refusal', swap('error', 'access_denied'), 'denied'],
  ])('%s', async (_name, change, why) => {
    issuer.answer = change
    const one = browser(front.url)
    expectRefused(one, await one.comeBack(await one.begin('oidc')), why)
  })

  test('in another browser, as in a link that an attacker sends', async () => {
    const [attacker, victim] = [browser(front.url), browser(front.url)]
    const page = await attacker.begin('oidc')
    expectRefused(victim, await victim.comeBack(page), 'expired')
    await victim.begin('oidc')
    expectRefused(victim, await victim.comeBack(page), 'expired')
  })

  test('a second time, although the issuer takes a code twice', async () => {
    issuer.reuse = true
    const one = browser(front.url)
    const back = await askWithKey({ url: '', key: '' }, 'GET', await one.begin('oidc'))
    const url = back.headers.get('location') ?? ''
    const path = url.slice(front.url.length)
    expect((await one.fetch('GET', path)).headers.get('location')).toMatch(/\/#session=[\w-]{43}$/)
    const again = browser(front.url)
    for (const [name, value] of one.cookies) if (name !== 'farmgate') again.cookies.set(name, value)
    expectRefused(again, await again.fetch('GET', path), 'expired')
  })

  test('after ten minutes', async () => {
    const one = browser(front.url)
    const page = await one.begin('oidc')
    clock = 11 * 60_000
    expectRefused(one, await one.comeBack(page), 'expired')
  })

  test('but its code for the secret of the session is good for two minutes only', async () => {
    const one = browser(front.url)
    const landed = (await one.comeBack(await one.begin('oidc'))).headers.get('location') ?? ''
    clock = 3 * 60_000
    const json = { code: landed.split('#session=')[1] }
    expectProblem(await one.fetch('POST', '/sign-in/session', { json }), 409, 'not_signed_in')
  })

  test.each([
    ['oidc', 'discord'],
    ['discord', 'oidc'],
  ])('of %s for a sign-in with %s (mix-up)', async (answering, asked) => {
    const one = browser(front.url)
    const state = new URL(await one.begin(asked)).searchParams.get('state') ?? ''
    const other = new URL(await browser(front.url).begin(answering))
    other.searchParams.set('state', state)
    expectRefused(one, await one.comeBack(other.href), 'failed')
  })

  test('and a session that an attacker has planted is not continued by the sign-in', async () => {
    const attacker = browser(front.url)
    await attacker.signIn('oidc')
    const planted = attacker.cookies.get('farmgate') ?? ''
    const victim = browser(front.url)
    victim.cookies.set('farmgate', planted)
    issuer.person = { id: '5', name: 'Victim', groups: [] }
    await victim.signIn('oidc')
    expect(victim.cookies.get('farmgate')).not.toBe(planted)
    expect((await victim.fetch('GET', '/keys/own')).json).toMatchObject({ name: 'Victim' })
    expect((await attacker.fetch('GET', '/keys/own')).json).toMatchObject({ name: 'Robin' })
  })
})

describe('an ID token that is not for this sign-in begins no session', () => {
  const claim = (name: string, value: unknown) => () => {
    issuer.claims = (claims) => void Object.assign(claims, { [name]: value })
  }
  const seconds = () => Math.floor(Date.now() / 1000)
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const otherKey = (jwt: string) => {
    const [header, claims] = partsOf(jwt)
    return `${header}.${claims}.${createSign('RSA-SHA256').update(`${header}.${claims}`).sign(privateKey, 'base64url')}`
  }
  test.each<[string, () => void]>([
    ['with another nonce', claim('nonce', 'other')],
    ['without a nonce', claim('nonce', undefined)],
    ['for another client', claim('aud', 'other')],
    ['for several clients, without a party', claim('aud', ['other', client.id])],
    [
      'for another party',
      knob('claims', (claims) => Object.assign(claims, { aud: [client.id, 'b'], azp: 'b' })),
    ],
    ['of another issuer', claim('iss', 'https://evil.example')],
    ['that has expired', claim('exp', seconds() - 120)],
    ['without an end', claim('exp', undefined)],
    ['that is not valid yet', claim('nbf', seconds() + 600)],
    ['without a person', claim('sub', undefined)],
    [
      'without a signature (alg none)',
      knob('token', (jwt) => `${unpadded({ alg: 'none' })}.${claimsOf(jwt)}.`),
    ],
    ['with a removed signature', knob('token', (jwt) => `${partsOf(jwt)[0]}.${claimsOf(jwt)}.`)],
    ['with the signature of another key', knob('token', otherKey)],
    ['with another algorithm', knob('token', (jwt) => `${unpadded({ alg: 'HS256' })}.${claimsOf(jwt)}.AAAA`)],
    ['with changed claims', knob('token', (jwt) => jwt.replace(claimsOf(jwt), unpadded({ sub: 'admin' })))],
    ['that is no token', knob('token', () => 'token')],
    [
      'of another person than the userinfo',
      knob(
        'instead',
        (path, response) =>
          path === '/userinfo' &&
          Boolean(response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"sub":"other"}')),
      ),
    ],
  ])('%s', async (_name, lie) => {
    lie()
    const one = browser(front.url)
    expectRefused(one, await one.comeBack(await one.begin('oidc')), 'failed')
  })

  test('but clocks may differ by half a minute', async () => {
    issuer.claims = (claims) => void Object.assign(claims, { iat: seconds() + 30, exp: seconds() - 30 })
    await browser(front.url).signIn('oidc')
  })
})

describe('a provider that fails', () => {
  const answers =
    (status: number, body: string, type = 'application/json') =>
    () => {
      issuer.instead = (path, response) =>
        path.startsWith('/.well-known') &&
        Boolean(response.writeHead(status, { 'Content-Type': type }).end(body))
    }
  const describes = (name: string, value: unknown) => () => {
    issuer.description = (described) => void Object.assign(described, { [name]: value })
  }
  test.each<[string, () => void]>([
    ['with 500', answers(500, '{}')],
    ['with a page', answers(200, '<!doctype html>', 'text/html')],
    ['with no JSON', answers(200, '{')],
    ['with more than it may', answers(200, `{"issuer":"${'x'.repeat(2_000_000)}"}`)],
    ['by hanging up', knob('instead', (_path, response) => Boolean(response.destroy()))],
    ['with the name of another issuer', describes('issuer', 'https://evil.example')],
    ['with a page that is a script', describes('authorization_endpoint', 'javascript:alert(1)')],
    ['with a page that is none', describes('authorization_endpoint', '')],
  ])('%s: sign-in is 502 issuer_unavailable, and everything else answers', async (_name, fail) => {
    fail()
    const { one, stop } = await fresh()
    expectProblem(await one.fetch('GET', '/sign-in/oidc'), 502, 'issuer_unavailable', { retry: true })
    expect((await one.fetch('GET', '/health')).status).toBe(200)
    issuer.reset()
    await one.signIn('oidc')
    await stop()
  })

  test('by not answering: sign-in is 502 within half a minute', async () => {
    issuer.hangs = () => true
    const { one, stop } = await fresh()
    expectProblem(await one.fetch('GET', '/sign-in/oidc'), 502, 'issuer_unavailable', { retry: true })
    await stop()
  }, 60_000)

  test('with a description of more values than an issuer has: it is not taken', async () => {
    issuer.description = (described) => {
      described['claims_supported'] = Array.from({ length: 50_000 }, () => 0)
    }
    const { one, stop } = await fresh()
    expectProblem(await one.fetch('GET', '/sign-in/oidc'), 502, 'issuer_unavailable', { retry: true })
    await stop()
  })

  test.each(['/token', '/jwks', '/userinfo'])('at %s, after the person has signed in, is 502', async (at) => {
    issuer.instead = (path, response) => path === at && Boolean(response.writeHead(503).end())
    const { one, stop } = await fresh()
    const reply = await one.comeBack(await one.begin('oidc'))
    expectProblem(reply, 502, 'issuer_unavailable', { retry: true })
    expect(one.cookies.has('farmgate')).toBe(false)
    await stop()
  })

  test.each(['/api/v10/oauth2/token', '/api/v10/users/@me'])('as Discord does at %s: 502', async (at) => {
    issuer.instead = (path, response) =>
      path === at && Boolean(response.writeHead(502, { 'Content-Type': 'text/html' }).end('<h1>502</h1>'))
    const one = browser(front.url)
    expectProblem(await one.comeBack(await one.begin('discord')), 502, 'issuer_unavailable', { retry: true })
  })

  test('a name that could control a page or a terminal is shown without its control characters', async () => {
    issuer.person = { id: '66', name: '\u202eR\u0007o\u001b[31mbin\u0000', groups: [] }
    const one = browser(front.url)
    await one.signIn('oidc')
    expect((await one.fetch('GET', '/keys/own')).json).toMatchObject({ name: 'Ro[31mbin' })
  })
})

const invitation = (at: number) => ({
  id: `i${at}`,
  digest: createHash('sha256').update(`code ${at}`).digest('hex'),
  scopes: ['read' as const],
  uses: 1000,
  used: 0,
  // As one that a thousand people have opened.
  acceptedBy: Array.from({ length: at % 100 === 0 ? 1000 : 1 }, (_, one) => `account${one}`),
  createdAt: at,
  expiresAt: Date.now() + 86_400_000,
})

describe('floods', () => {
  test('with as many invitations as there may be, one list, one look and one accept are answered within the five seconds of the records', async () => {
    const { farm, one, stop } = await fresh()
    try {
      const { calls } = farm.records
      await Promise.all(
        Array.from({ length: 500 }, (_, at) => calls.addInvitation(invitation(at), Date.now())),
      )
      issuer.person = { id: '111', name: 'Last', groups: [] }
      await one.signIn('oidc')
      const listed = (await askWithKey(farm, 'GET', '/invitations')).json as { invitations: unknown[] }
      expect(listed.invitations).toHaveLength(500)
      const json = { code: 'code 0' }
      expect((await one.fetch('POST', '/invitations/show', { json })).status).toBe(200)
      expect((await one.fetch('POST', '/invitations/accept', { json })).json).toEqual({ scopes: ['read'] })
      expect((await one.fetch('GET', '/players')).status).toBe(200)
    } finally {
      await stop()
    }
  })

  test.each([
    ['keys', 500, { name: 'Bot', scopes: ['read'] }],
    ['invitations', 500, { scopes: ['read'] }],
    [
      'webhooks',
      50,
      { name: 'w', url: 'https://hooks.example/junimo', events: ['player.joined'], format: 'standard' },
    ],
    [
      'schedules',
      50,
      { name: 's', cron: '0 6 * * *', timeZone: 'UTC', do: { action: 'backup' }, enabled: true },
    ],
    ['mods/pack-links', 100, { expiresInDays: 7 }],
  ] as const)(
    'of 100 more parallel requests for %s than the limit of %i, exactly as many are made and the others are 409',
    async (kind, most, json) => {
      const { farm, stop } = await fresh()
      try {
        const replies = await Promise.all(
          Array.from({ length: most + 100 }, () => askWithKey(farm, 'POST', `/${kind}`, { json })),
        )
        const made = replies.filter(({ status }) => status === 201)
        expect(made).toHaveLength(most)
        const code = `too_many_${kind.replace('mods/pack-', 'pack_')}`
        for (const reply of replies) if (reply.status !== 201) expectProblem(reply, 409, code)
      } finally {
        await stop()
      }
    },
  )

  test('one person has at most ten sessions: the one that was unused longest ends', async () => {
    issuer.person = { id: '77', name: 'Many', groups: [] }
    const all: Browser[] = []
    for (let count = 0; count < 11; count += 1) {
      const one = browser(front.url)
      await one.signIn('oidc')
      all.push(one)
    }
    const keys = await server.records.of('local').keys()
    expect(keys.filter(({ name }) => name === 'Many')).toHaveLength(10)
    expectProblem((await all[0]?.fetch('GET', '/keys/own')) ?? expect.fail(), 401, 'unauthorized')
  })

  test('of 60 sessions of one person that begin at once ten stay, and an invitation for one is accepted once by 60 people at once', async () => {
    const { calls } = server.records
    const at = Date.now()
    const begin = (subject: string, id: string) =>
      calls.signIn(
        { provider: 'oidc', subject, name: subject, groups: [] },
        { id, digest: createHash('sha256').update(id).digest(), accountId: `of ${id}` },
        at,
      )
    const ids = Array.from({ length: 60 }, (_, one) => `at once ${one}`)
    const [account = ''] = new Set(await Promise.all(ids.map((id) => begin('busy', id))))
    expect((await calls.storedSessions(at)).filter((one) => one.account?.id === account)).toHaveLength(10)
    const people = await Promise.all(ids.map((id) => begin(id, `session ${id}`)))
    const { digest, ...one } = { ...invitation(0), id: 'once', uses: 1, acceptedBy: [] }
    await calls.addInvitation({ ...one, digest }, at)
    const accepted = await Promise.all(people.map((id) => calls.acceptInvitation(digest, id ?? '', at)))
    expect(accepted.filter((scopes) => scopes !== undefined)).toEqual([['read']])
  })

  test('scopes of a group end a week after the sign-in, since the person may have left it', async () => {
    const { calls } = server.records
    await calls.setAccountGroups([{ provider: 'oidc', id: 'moderators', scopes: ['control'] }])
    const person = { provider: 'oidc', subject: 'left', name: 'Left', groups: ['moderators'] } as const
    const day = 86_400_000
    const at = Date.now()
    await calls.signIn(person, { id: 'left', digest: Buffer.alloc(32, 1), accountId: 'left' }, at)
    const scopesAfter = async (days: number) =>
      (await calls.storedSessions(at + days * day)).find(({ id }) => id === 'left')?.scopes
    expect([await scopesAfter(6), await scopesAfter(8)]).toEqual([['control'], []])
    await calls.setAccountGroups([])
  })

  test('strangers end neither the session nor the account of a person who has scopes', async () => {
    issuer.person = { id: '88', name: 'Member', groups: [] }
    const member = browser(front.url)
    await member.signIn('oidc')
    const { account } = (await member.fetch('GET', '/keys/own')).json as { account: { id: string } }
    await server.records.calls.changeAccount(account.id, ['read'])
    const stranger = (count: number) => {
      const id = `stranger${count}`
      const person = { provider: 'oidc', subject: id, name: id, groups: [] } as const
      return server.records.calls.signIn(person, { id, digest: Buffer.alloc(32), accountId: id }, Date.now())
    }
    const strangers = Array.from({ length: 1010 }, (_, count) => `stranger${count}`)
    expect(await Promise.all(strangers.map((_, count) => stranger(count)))).toEqual(strangers)
    await server.records.keysChanged()
    expect(await sessions()).toBeLessThanOrEqual(400)
    expect((await member.fetch('GET', '/keys/own')).json).toMatchObject({ scopes: ['read'] })
    expect((await server.records.calls.storedAccounts(Date.now())).length).toBeLessThanOrEqual(1000)
  })

  test('the calls for signing in have a small allowance, which leaves that of everything else', async () => {
    const limited = await nodeServer({ rates: { anonymous: 600 } })
    const one = browser(limited.url)
    const statuses = []
    for (let count = 0; count < 70; count += 1) statuses.push((await one.fetch('GET', '/sign-in')).status)
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(62)
    expect(statuses.at(-1)).toBe(429)
    expect((await one.fetch('GET', '/status')).status).toBe(200)
    await limited.stop()
  })

  test('many addresses together never use up the sign-in of one that has made no such call in the last minute', async () => {
    const limited = await nodeServer({ rates: { anonymous: 600 }, server: { trustProxy: 1 } })
    const statusFrom = async (address: string) => {
      const headers = { 'X-Forwarded-For': address }
      return (await ask(limited, 'GET', '/sign-in', { headers })).status
    }
    const last = []
    for (let one = 1; one <= 8; one += 1) {
      const statuses = await Promise.all(Array.from({ length: 60 }, () => statusFrom(`203.0.113.${one}`)))
      last.push(statuses.filter((status) => status === 200).length)
    }
    // The first six have all of theirs; what addresses share is used up then.
    expect(last.slice(0, 6)).toEqual([60, 60, 60, 60, 60, 60])
    expect(last[7]).toBeLessThan(30)
    const late = await Promise.all(Array.from({ length: 5 }, () => statusFrom('198.51.100.9')))
    expect(late).toEqual([200, 200, 200, 200, 200])
    await limited.stop()
  })

  test('a session without scopes has the same small allowance, since each sign-in makes another session', async () => {
    const { one, stop } = await fresh({ rates: { anonymous: 600 } })
    try {
      await one.signIn('oidc')
      const statuses = []
      for (let count = 0; count < 70; count += 1) statuses.push((await one.fetch('GET', '/sign-in')).status)
      expect([statuses[0], statuses.at(-1)]).toEqual([200, 429])
      expect((await one.fetch('GET', '/keys/own')).status).toBe(200)
    } finally {
      await stop()
    }
  })

  test('signing out everywhere, while the sessions are used and others sign out, leaves none', async () => {
    issuer.person = { id: '99', name: 'Racer', groups: [] }
    const all = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const one = browser(front.url)
        await one.signIn('oidc')
        return one
      }),
    )
    await Promise.all([
      ...all.map((one) => one.fetch('GET', '/keys/own')),
      ...all.map((one, at) => one.fetch('POST', `/sign-out?everywhere=${at % 2 === 0}`)),
      ...all.map((one) => one.fetch('POST', '/invitations/accept', { json: { code: 'none' } })),
    ])
    const left = (await server.records.of('local').keys()).filter(({ name }) => name === 'Racer')
    expect(left).toEqual([])
  })
})
