/** Which requests a route accepts, and the limit that each request counts against. */
import { describe, expect, test } from 'vitest'
import { apiKeyHolder, type KeyHolder, withoutKey } from '../../../handlers/key-holder.ts'
import { Problem } from '../../../handlers/problem.ts'
import { keyRing } from '../../../lib/key-ring.ts'
import { bearerKey, digestOf, keyCheck, type NamedKey, openToAll } from '../../../lib/keys.ts'
import type { Caller } from '../../../runtime/http/caller.ts'
import { originRules } from '../../../runtime/http/cors.ts'
import { createGate } from '../../../runtime/http/gate.ts'
import { limitsOf } from '../../../runtime/http/rate-limit.ts'

const key = 'the right key of this test'
const holder = apiKeyHolder()

/** @param given rates that differ from two a minute each */
function started(
  given: { readonly open?: true; readonly failedKeys?: number; readonly anonymous?: number } = {},
) {
  const { open, failedKeys = 2, anonymous = 2 } = given
  const counted: string[] = []
  let wrong = 0
  const gate = createGate({
    keys: open ? openToAll : keyCheck(digestOf(key)),
    limits: limitsOf({ reads: 2, writes: 1, anonymous, failedKeys }, () => 0),
    origins: originRules([], open !== true),
    page: { origin: () => undefined, cookie: '' },
    throttled: () => {},
    limited: () => {},
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

const rightKey = 'a key of sixteen or more characters'

describe('a key', () => {
  test('is right each time, before and after its first use', () => {
    const { required, verify } = keyCheck(digestOf(rightKey))
    expect([required, verify(rightKey), verify(rightKey), verify(rightKey)]).toEqual([
      true,
      holder,
      holder,
      holder,
    ])
  })

  test.each([
    '',
    'a',
    `${rightKey}x`,
    rightKey.slice(0, -1),
    rightKey.toUpperCase(),
    `${rightKey.slice(0, -1)}x`,
    `x${rightKey.slice(1)}`,
  ])('is wrong when it is %j, before and after the right one was used', (shown) => {
    const { verify } = keyCheck(digestOf(rightKey))
    expect([verify(shown), verify(rightKey), verify(shown)]).toEqual([undefined, holder, undefined])
  })

  test('is never right where none is set', () => {
    expect([openToAll.required, openToAll.verify(''), openToAll.verify(rightKey)]).toEqual([
      false,
      undefined,
      undefined,
    ])
  })

  test('is kept as its SHA-256', () => {
    expect(Buffer.from(digestOf('abc')).toString('hex')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    )
  })
})

describe('the Authorization header', () => {
  test.each([
    ['Bearer secret', 'secret'],
    ['bearer secret', 'secret'],
    ['BEARER   secret  ', 'secret'],
    ['  Bearer\tsecret', 'secret'],
    ['Bearer two words', 'two words'],
  ])('%j has the key %j', (header, found) => expect(bearerKey(header)).toBe(found))

  test.each([
    undefined,
    '',
    'secret',
    'Bearer',
    'Bearer   ',
    'Basic secret',
    'XBearer secret',
    'Bearersecret',
  ])('%j has none', (header) => expect(bearerKey(header)).toBeUndefined())
})

const apiKey = 'the API_KEY of this test'
const textOf = (id: string) => `fg_${id}_${'s'.repeat(43)}`
const named = (id: string, more: Partial<NamedKey> = {}): NamedKey => ({
  id,
  name: `key ${id}`,
  scopes: ['chat'],
  digest: digestOf(textOf(id)),
  ...more,
})
const holderOf = (id: string): KeyHolder => ({ id, name: `key ${id}`, scopes: ['chat'], ref: `fg_${id}` })

function aRing(key: string | null = apiKey) {
  const clock = { now: 1_795_262_400_000 }
  const used: string[] = []
  const ring = keyRing({
    apiKey: key === null ? undefined : digestOf(key),
    now: () => clock.now,
    used: (id) => void used.push(id),
  })
  return { ring, clock, used }
}

describe('a named key', () => {
  test('identifies its holder each time, in addition to API_KEY', () => {
    const { ring } = aRing()
    ring.set([named('a1'), named('b2')])
    expect([
      ring.verify(textOf('a1')),
      ring.verify(textOf('a1')),
      ring.verify(textOf('b2')),
      ring.verify(apiKey),
    ]).toEqual([holderOf('a1'), holderOf('a1'), holderOf('b2'), apiKeyHolder()])
  })

  test('is wrong with the secret of another, in another form, and with an unknown id', () => {
    const { ring } = aRing()
    ring.set([named('a1'), named('b2', { digest: digestOf('fg_b2_other') })])
    for (const wrong of [
      textOf('b2'),
      textOf('c3'),
      textOf('a1').toUpperCase(),
      'fg_a1_',
      'fg_a1',
      'fg__',
      'fg_',
    ])
      expect(ring.verify(wrong)).toBeUndefined()
  })

  test('is wrong from the moment of its expiry, also when it was used before', () => {
    const { ring, clock } = aRing()
    ring.set([named('a1', { expiresAt: clock.now + 1000 })])
    const holder = ring.verify(textOf('a1'))
    clock.now += 999
    expect([ring.verify(textOf('a1')), ring.current(holderOf('a1'))]).toEqual([holder, holder])
    clock.now += 1
    expect([ring.verify(textOf('a1')), ring.current(holderOf('a1'))]).toEqual([undefined, undefined])
  })

  test('is wrong as soon as it is revoked, and its holder is no longer current', () => {
    const { ring } = aRing()
    ring.set([named('a1'), named('b2')])
    const holder = ring.verify(textOf('a1'))
    expect(holder).toEqual(holderOf('a1'))
    ring.set([named('b2')])
    expect([ring.verify(textOf('a1')), ring.current(holderOf('a1'))]).toEqual([undefined, undefined])
    expect(ring.current(holderOf('b2'))).toEqual(holderOf('b2'))
  })

  test('with changed scopes has a holder with the new ones', () => {
    const { ring } = aRing()
    ring.set([named('a1')])
    ring.set([named('a1', { scopes: ['read'] })])
    expect(ring.current(holderOf('a1'))?.scopes).toEqual(['read'])
  })

  test('can have the form of API_KEY: both are accepted', () => {
    const { ring } = aRing(textOf('a1'))
    ring.set([named('a1', { digest: digestOf('fg_a1_another') })])
    expect([ring.verify(textOf('a1')), ring.verify('fg_a1_another')]).toEqual([
      apiKeyHolder(),
      holderOf('a1'),
    ])
  })
})

test('each change is reported to the listeners until they are removed', () => {
  const { ring } = aRing()
  let changes = 0
  const forget = ring.onChange(() => {
    changes += 1
  })
  expect(ring.named).toBeUndefined()
  ring.set([])
  forget()
  ring.set([named('a1')])
  expect([changes, ring.named]).toEqual([1, [named('a1')]])
})

test('without API_KEY anyone can do everything, with any key', () => {
  const { ring } = aRing(null)
  ring.set([named('a1')])
  expect([ring.required, ring.verify(textOf('a1')), ring.current(withoutKey)]).toEqual([
    false,
    undefined,
    withoutKey,
  ])
})

describe('the use of a key', () => {
  test('is reported at once, and then once a minute', () => {
    const { ring, clock, used } = aRing()
    ring.set([named('a1'), named('b2')])
    const use = (id: string, after: number) => {
      clock.now += after
      ring.verify(textOf(id))
    }
    use('a1', 0)
    use('a1', 59_999)
    use('b2', 0)
    expect(used).toEqual(['a1', 'b2'])
    use('a1', 1)
    expect(used).toEqual(['a1', 'b2', 'a1'])
  })

  test('is reported again after the clock was set back', () => {
    const { ring, clock, used } = aRing()
    ring.set([named('a1')])
    ring.verify(textOf('a1'))
    clock.now -= 3_600_000
    ring.verify(textOf('a1'))
    expect(used).toEqual(['a1', 'a1'])
  })

  test('is not reported for API_KEY or a wrong key', () => {
    const { ring, used } = aRing()
    ring.set([named('a1')])
    ring.verify(apiKey)
    ring.verify(`${textOf('a1')}x`)
    expect(used).toEqual([])
  })
})
