/** Which requests a route accepts, and the limit that each request counts against. */
import { describe, expect, test } from 'vitest'
import { apiKeyHolder, type KeyHolder, withoutKey } from '../../../handlers/key-holder.ts'
import { Problem } from '../../../handlers/problem.ts'
import { digestOf, keyCheck, openToAll } from '../../../lib/keys.ts'
import type { Caller } from '../../../runtime/http/caller.ts'
import { originRules } from '../../../runtime/http/cors.ts'
import { createGate } from '../../../runtime/http/gate.ts'
import { limitsOf } from '../../../runtime/http/rate-limit.ts'

const key = 'the right key of this test'
const holder = apiKeyHolder()

/** @param given rates that differ from two a minute each */
function started(
  given: {
    readonly open?: true
    readonly failedKeys?: number
    readonly anonymous?: number
    /** The holder of each value of the cookie, with the secret `page`. */
    readonly sessions?: Readonly<Record<string, KeyHolder>>
  } = {},
) {
  const { open, failedKeys = 2, anonymous = 2, sessions = {} } = given
  const counted: string[] = []
  let wrong = 0
  const gate = createGate({
    keys: {
      ...(open ? openToAll : keyCheck(digestOf(key))),
      session: (proof) => sessions[proof.replace(/\.page$/, '')],
    },
    limits: limitsOf({ reads: 2, writes: 1, anonymous, failedKeys }, () => 0),
    origins: originRules([], open !== true),
    page: { origin: () => given.sessions && 'https://farm.example', cookie: 'farm' },
    notices: { throttled() {}, limited() {} },
    metrics: {
      rateLimited: { inc: ({ limit }: { limit: string }) => void counted.push(limit) },
      failedKeys: {
        inc() {
          wrong += 1
        },
      },
    } as never,
    log: { warn: () => {} },
    monotonic: () => 0,
  })
  return {
    gate,
    counted,
    get wrong() {
      return wrong
    },
  }
}

const caller = (authorization?: string, more: Partial<Caller> = {}): Caller => ({
  header: (name) => ({ authorization, host: 'localhost:8080' })[name],
  address: '192.0.2.1',
  headBytes: 100,
  manyKeys: false,
  ...more,
})
const right = `Bearer ${key}`

function refusalOf(work: () => unknown) {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const { code, message, details } = error
    return { code, message, ...(details.retryAfter !== undefined && { retryAfter: details.retryAfter }) }
  }
}
const unauthorized = (message: string) => ({
  code: 'unauthorized',
  message: expect.stringContaining(message),
})
const notAccepted = unauthorized('This key is not accepted')

describe('a request that is too large', () => {
  test('has a URL of more than 4096 bytes, or a head of more than 16 KiB', () => {
    const { gate } = started({ anonymous: 0 })
    const check = (targetBytes: number, headBytes: number) =>
      refusalOf(() =>
        gate.checkSize(`http://a/${'x'.repeat(targetBytes - 1)}`, caller(undefined, { headBytes })),
      )
    expect(check(4096, 16_384)).toBeUndefined()
    expect(check(4097, 16_384)).toEqual({
      code: 'uri_too_long',
      message: 'The URL is longer than 4096 bytes',
    })
    expect(check(4096, 16_385)).toEqual({
      code: 'headers_too_large',
      message: 'Request line and headers are larger than 16384 bytes',
    })
  })
})

describe('a request with the right key', () => {
  test('can use every route, and the connection is marked as a key holder’s', () => {
    const { gate, wrong } = started()
    let shown = 0
    const shownBy = caller(right, {
      hasKey() {
        shown += 1
      },
    })
    expect([gate.admit(shownBy, 'key', 'read'), gate.admit(shownBy, 'public', 'read')]).toEqual([
      holder,
      holder,
    ])
    expect([shown, wrong]).toEqual([2, 0])
  })

  test('counts against the reads or the writes of the key, from any address', () => {
    const { gate, counted } = started()
    const from = (address: string) => caller(right, { address })
    expect(gate.admit(from('192.0.2.1'), 'key', 'write')).toEqual(holder)
    expect(refusalOf(() => gate.admit(from('192.0.2.2'), 'key', 'write'))).toEqual({
      code: 'rate_limited',
      message: 'Too many requests; try again in 60 s',
      retryAfter: 60,
    })
    expect([
      gate.admit(from('192.0.2.3'), 'key', 'read'),
      gate.admit(from('192.0.2.4'), 'key', 'read'),
    ]).toEqual([holder, holder])
    expect(refusalOf(() => gate.admit(from('192.0.2.5'), 'key', 'read'))).toMatchObject({ retryAfter: 30 })
    expect(counted).toEqual(['writes', 'reads'])
  })
})

describe('a request without the right key', () => {
  test.each([
    [undefined, 'No key was sent'],
    ['Bearer', 'No key was sent'],
    ['Basic x', 'must be Bearer <api-key>'],
    [key, 'must be Bearer <api-key>'],
  ])('is unauthorized with %j, and is answered that %j', (header, sentence) => {
    const setting = started()
    expect(refusalOf(() => setting.gate.admit(caller(header), 'key', 'read'))).toEqual(unauthorized(sentence))
    expect(setting.wrong).toBe(0)
  })

  test('is unauthorized when it has two Authorization headers, even if one is right', () => {
    const setting = started()
    const twice = caller(right, { manyKeys: true })
    expect(refusalOf(() => setting.gate.admit(twice, 'key', 'read'))).toEqual(unauthorized('sent once'))
    expect(setting.gate.admit(twice, 'public', 'read')).toBeUndefined()
  })

  test('can read what is public, in its public form', () => {
    const setting = started()
    expect(setting.gate.admit(caller(), 'public', 'read')).toBeUndefined()
    expect(setting.gate.admit(caller('Bearer wrong'), 'public', 'read')).toBeUndefined()
    expect(setting.wrong).toBe(1)
  })

  test("counts against the route's limit for its address", () => {
    const { gate, counted } = started({ anonymous: 1 })
    expect(gate.admit(caller(), 'public', 'read', 'probes')).toBeUndefined()
    expect(gate.admit(caller(), 'public', 'read')).toBeUndefined()
    for (const allowance of ['probes', 'anonymous'] as const)
      expect(refusalOf(() => gate.admit(caller(), 'public', 'read', allowance))).toMatchObject({
        code: 'rate_limited',
        retryAfter: 60,
      })
    expect(counted).toEqual(['probes', 'anonymous'])
    expect(gate.admit(caller(undefined, { address: '192.0.2.2' }), 'public', 'read')).toBeUndefined()
  })

  test('is refused after too many wrong keys of its address, with the time to wait', () => {
    const setting = started({ anonymous: 0 })
    const guess = () => refusalOf(() => setting.gate.admit(caller('Bearer wrong'), 'key', 'read'))
    expect([guess(), guess()]).toEqual([notAccepted, notAccepted])
    expect(guess()).toEqual({
      code: 'rate_limited',
      message: 'Too many wrong keys; try again in 30 s',
      retryAfter: 30,
    })
    expect([setting.wrong, setting.counted]).toEqual([3, ['failed_keys']])
    expect(setting.gate.admit(caller(right), 'key', 'read')).toEqual(holder)
  })
})

describe('a key outside the Authorization header', () => {
  test('on /ws is right, wrong, or one of too many', () => {
    const setting = started({ failedKeys: 1 })
    const show = (token: string) => setting.gate.verify(token, '192.0.2.1')
    expect([show(key), show('guess'), show('guess'), show(key)]).toEqual([holder, 'wrong', 'limited', holder])
    expect(setting.wrong).toBe(2)
  })

  test('that is wrong is refused as over HTTP, and counted with those', () => {
    const { gate } = started({ failedKeys: 1 })
    expect(gate.wrongKey('192.0.2.1').code).toBe('unauthorized')
    expect(gate.wrongKey('192.0.2.1').code).toBe('rate_limited')
    expect(gate.verify('guess', '192.0.2.1')).toBe('limited')
  })
})

describe('a request with the cookie of a session', () => {
  const account = { id: 'a1', provider: 'discord', name: 'Abby' } as const
  const abby: KeyHolder = { id: 's1', name: 'Abby', scopes: ['control'], ref: 's1', account }
  const stranger: KeyHolder = { ...abby, id: 's2', scopes: [], ref: 's2' }
  const sessions = { abby, stranger }
  const own = { origin: 'https://farm.example' }
  const visit = (
    cookie: string,
    headers: Readonly<Record<string, string>> = {},
    more: Partial<Caller> = {},
  ) =>
    caller(undefined, {
      ...more,
      header: (name) =>
        ({
          host: 'farm.example',
          cookie: `__Host-farm=${cookie}`,
          'farmgate-session': 'page',
          ...headers,
        })[name],
    })

  test('is admitted as its holder, and counts against the rate of the session', () => {
    const { gate, counted } = started({ sessions, anonymous: 0 })
    let shown = 0
    const shownBy = visit('gone.abby', {}, { hasKey: () => void shown++ })
    expect([gate.admit(shownBy, 'key', 'read'), gate.admit(visit('abby'), 'key', 'read')]).toEqual([
      abby,
      abby,
    ])
    expect(refusalOf(() => gate.admit(shownBy, 'key', 'read'))).toMatchObject({ code: 'rate_limited' })
    expect([shown, counted]).toEqual([2, ['reads']])
  })

  test('may change something only from the page of the farm', () => {
    const { gate } = started({ sessions, anonymous: 0 })
    const change = (headers: Readonly<Record<string, string>>) =>
      refusalOf(() => gate.admit(visit('abby', headers), 'key', 'write'))
    expect(change({})).toEqual({
      code: 'origin_not_allowed',
      message: 'A session may change something only from the page of this farm',
    })
    expect(change({ origin: 'https://evil.example' })).toMatchObject({
      code: 'origin_not_allowed',
      message: expect.stringContaining('Pages of https://evil.example may not use this API'),
    })
    expect(change(own)).toBe(abby)
    // Whether the cookie proves anything does not matter.
    const alone = { 'farmgate-session': undefined as never }
    expect(change(alone)).toMatchObject({ code: 'origin_not_allowed' })
    expect(change({ ...alone, ...own })).toEqual(unauthorized('No key was sent'))
    expect(refusalOf(() => gate.checkPage(visit('abby')))).toMatchObject({ code: 'origin_not_allowed' })
    expect(gate.checkPage(visit('abby', own))).toBeUndefined()
    expect(gate.checkPage(caller())).toBeUndefined()
  })

  test('has no session where a key was sent, or the value or the secret of the page is unknown', () => {
    const { gate } = started({ sessions, anonymous: 0, failedKeys: 0 })
    const admitted = (cookie: string, headers?: Readonly<Record<string, string>>) =>
      refusalOf(() => gate.admit(visit(cookie, headers), 'key', 'read'))
    expect(admitted('abby', { authorization: 'Bearer wrong' })).toEqual(notAccepted)
    expect(admitted('abby', { authorization: ' BEARER' })).toMatchObject({ code: 'unauthorized' })
    expect(admitted('gone')).toEqual(unauthorized('No key was sent'))
    for (const secret of ['other', 'page; x', ''])
      expect(admitted('abby', { 'farmgate-session': secret })).toEqual(unauthorized('No key was sent'))
    const protocols = {
      'farmgate-session': undefined as never,
      'sec-websocket-protocol': 'farmgate, session.page',
    }
    expect(admitted('gone; __Host-farm=abby', protocols)).toBe(abby)
    expect(admitted('abby; __Host-farm=gone.abby')).toBe(abby)
  })

  test('of a stranger is not the one of a key holder, and counts against the calls for signing in', () => {
    const { gate, counted } = started({ sessions, anonymous: 1 })
    const signIn = () =>
      refusalOf(() =>
        gate.admit(visit('stranger', {}, { hasKey: () => expect.fail() }), 'public', 'read', 'signIns'),
      )
    expect([signIn(), signIn()]).toEqual([stranger, expect.objectContaining({ code: 'rate_limited' })])
    expect(counted).toEqual(['signIns'])
    expect(gate.admit(visit('stranger'), 'public', 'read')).toBe(stranger)
  })

  test('is judged also when its address has used its allowance, as is one with the right key', () => {
    const { gate } = started({ sessions, anonymous: 1, failedKeys: 1 })
    const spent = (request: Caller) => gate.refusalOfSpent(request, 'anonymous')?.message
    expect([spent(caller()), spent(caller('Bearer wrong'))]).toEqual([undefined, undefined])
    gate.admit(caller(), 'public', 'read')
    gate.verify('guess', '192.0.2.1')
    expect([caller(), visit('gone'), caller('Bearer wrong')].map(spent)).toEqual([
      'Too many requests; try again in 60 s',
      'Too many requests; try again in 60 s',
      'Too many wrong keys; try again in 60 s',
    ])
    expect([visit('abby'), caller(right)].map(spent)).toEqual([undefined, undefined])
  })

  test('an address is far over its rate after 120 refusals', () => {
    const { gate } = started({ anonymous: 1 })
    const over = () => gate.isFarOver('192.0.2.1')
    for (let request = 0; request < 120; request += 1) refusalOf(() => gate.admit(caller(), 'public', 'read'))
    expect(over()).toBe(false)
    refusalOf(() => gate.admit(caller(), 'public', 'read'))
    expect(over()).toBe(true)
  })
})

test('without API_KEY a Host that may be rebound can read only what is public', () => {
  const { gate } = started({ open: true, anonymous: 0 })
  const named = (host: string) => caller(undefined, { header: (name) => ({ host })[name] })
  expect(gate.admit(named('evil.example'), 'public', 'read')).toBeUndefined()
  expect(refusalOf(() => gate.admit(named('evil.example'), 'key', 'read'))).toMatchObject({
    code: 'origin_not_allowed',
    message: expect.stringContaining('Pages of http://evil.example'),
  })
  expect(gate.admit(named('127.0.0.1:8080'), 'key', 'read')).toBe(withoutKey)
  const rebound = originRules(['https://Farm.example'], false).mayBeRebound
  expect(['farm.example', 'FARM.example', 'evil.example', 'localhost', undefined].map(rebound)).toEqual([
    ...[false, false, true],
    ...[false, false],
  ])
  expect(originRules([], true).mayBeRebound('evil.example')).toBe(false)
})

test('without API_KEY anyone can do everything, within the rate', () => {
  const { gate } = started({ open: true, anonymous: 1 })
  expect(gate.admit(caller(), 'key', 'write')).toBe(withoutKey)
  expect(refusalOf(() => gate.admit(caller(), 'key', 'write'))).toMatchObject({ code: 'rate_limited' })
})

test('a page of another origin is refused, and so is one without a Host to compare with', () => {
  const { gate } = started({ anonymous: 0 })
  const page = (origin: string | undefined, host: string | undefined) =>
    caller(undefined, { header: (name) => ({ origin, host })[name] })
  expect(refusalOf(() => gate.checkOrigin(page(undefined, 'localhost:8080')))).toBeUndefined()
  expect(refusalOf(() => gate.checkOrigin(page('http://localhost:8080', 'localhost:8080')))).toBeUndefined()
  for (const [origin, host] of [
    ['https://evil.example', 'localhost:8080'],
    ['http://localhost:8080', undefined],
    ['null', 'localhost:8080'],
  ] as const)
    expect(refusalOf(() => gate.checkOrigin(page(origin, host)))).toEqual({
      code: 'origin_not_allowed',
      message: `Pages of ${origin} may not use this API: its operator can list that origin in ALLOWED_ORIGINS`,
    })
})
