/** The status, body, type and headers of every answer. */
import { describe, expect, test } from 'vitest'
import { Problem } from '../../../handlers/problem.ts'
import { stringifyRecord } from '../../../lib/json.ts'
import { openToAll } from '../../../lib/keys.ts'
import {
  bytesAnswer,
  emptyAnswer,
  problemAnswer,
  problemResponse,
  resultAnswer,
  textAnswer,
} from '../../../runtime/http/answer.ts'
import type { Caller } from '../../../runtime/http/caller.ts'
import { originRules, preflightHeaders, shownOrigin } from '../../../runtime/http/cors.ts'
import { createGate } from '../../../runtime/http/gate.ts'
import { limitsOf } from '../../../runtime/http/rate-limit.ts'
import { responseOf } from '../../../runtime/http/response-headers.ts'

const always = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-request-id': 'request-1',
}

describe('an answer', () => {
  test('of text has its length in bytes of UTF-8', () => {
    expect(textAnswer('🥕', 'text/plain', { Allow: 'GET' })).toEqual({
      status: 200,
      body: '🥕',
      length: 4,
      type: 'text/plain',
      headers: { Allow: 'GET' },
    })
  })

  test('of bytes, and without a body', () => {
    const bytes = new Uint8Array([1, 2, 3])
    expect(bytesAnswer(bytes, 'image/png')).toEqual({
      status: 200,
      body: bytes,
      length: 3,
      type: 'image/png',
      headers: {},
    })
    expect(emptyAnswer(204)).toEqual({ status: 204, body: null, length: 0, type: '', headers: {} })
  })

  test('of a result that is not an object is JSON, encoded each time', () => {
    for (const [result, body] of [
      [null, 'null'],
      ['a', '"a"'],
      [7n, '7'],
    ])
      expect(resultAnswer(result)).toMatchObject({ status: 200, body, type: 'application/json' })
  })
})

describe('a problem', () => {
  test('says what to do: send a key, use another method or a WebSocket, or retry later', () => {
    const headersOf = (...problem: ConstructorParameters<typeof Problem>) =>
      problemAnswer(new Problem(...problem)).headers
    expect(headersOf('unauthorized', 'No')).toEqual({ 'WWW-Authenticate': 'Bearer' })
    expect(headersOf('upgrade_required', 'No')).toEqual({ Upgrade: 'websocket', Connection: 'Upgrade' })
    expect(headersOf('method_not_allowed', 'No', { allow: 'GET, HEAD' })).toEqual({ Allow: 'GET, HEAD' })
    expect(headersOf('rate_limited', 'No', { retryAfter: 7 })).toEqual({ 'Retry-After': '7' })
    expect(headersOf('not_found', 'No')).toEqual({})
  })

  test('is JSON with its status', () => {
    expect(problemAnswer(new Problem('not_found', 'No such path', { path: '/x' }))).toMatchObject({
      status: 404,
      type: 'application/json',
      body: '{"success":false,"error":"No such path","code":"not_found","path":"/x"}',
    })
  })

  test('of a long poll without a match is 408 without a body', () => {
    expect(problemAnswer(new Problem('wait_timeout', 'Nothing'))).toMatchObject({ status: 408, body: null })
  })

  test('outside the router has the headers of every answer', async () => {
    const response = problemResponse(new Problem('unauthorized', 'No'), 'request-1')
    expect(response.status).toBe(401)
    expect(Object.fromEntries(response.headers)).toEqual({
      ...always,
      'content-type': 'application/json',
      'www-authenticate': 'Bearer',
    })
    expect(await response.json()).toEqual({ success: false, error: 'No', code: 'unauthorized' })
    const empty = problemResponse(new Problem('wait_timeout', 'No'), 'request-1')
    expect([empty.headers.has('content-type'), await empty.text()]).toEqual([false, ''])
  })
})

describe('the headers of a response', () => {
  const caller = (origin?: string): Caller => ({
    header: (name) => (name === 'origin' ? origin : undefined),
    address: '192.0.2.1',
    headBytes: 0,
    manyKeys: false,
  })
  const respond = (
    given: {
      answer?: ReturnType<typeof textAnswer>
      origin?: string
      anyOrigin?: boolean
      snapshotAt?: number
      ageOnRefusals?: boolean
    } = {},
  ) => {
    const {
      answer = textAnswer('🥕', 'text/plain'),
      origin,
      anyOrigin = false,
      snapshotAt,
      ageOnRefusals = true,
    } = given
    const game = {
      health: () => ({
        gameAvailable: true,
        isFrozen: false,
        tickCount: 1,
        pendingActions: 0,
        ...(snapshotAt !== undefined && { snapshotAt }),
      }),
    }
    const context = {
      farm: { game },
      origins: originRules(['https://panel.example']),
      ageOnRefusals,
      now: () => 5000,
    }
    const { headers } = responseOf(answer, context, caller(origin), 'request-1', anyOrigin)
    return Object.fromEntries(headers)
  }

  test('are those of security, the request id, and length and type of the body', () => {
    expect(respond()).toEqual({
      ...always,
      vary: 'Origin',
      'content-type': 'text/plain',
      'content-length': '4',
    })
    expect(respond({ answer: emptyAnswer(204) })).toEqual({ ...always, vary: 'Origin' })
  })

  test('can be set by the answer', () => {
    const answer = textAnswer('', 'text/css', { 'Cache-Control': 'max-age=60' })
    expect(respond({ answer })).toMatchObject({ 'cache-control': 'max-age=60' })
  })

  test('show the age of the snapshot in milliseconds, which is never negative', () => {
    expect(respond({ snapshotAt: 3500 })).toMatchObject({ 'x-snapshot-age-ms': '1500' })
    expect(respond({ snapshotAt: 9000 })).toMatchObject({ 'x-snapshot-age-ms': '0' })
    expect(respond()).not.toHaveProperty('x-snapshot-age-ms')
  })

  test('show the age of the snapshot on refusals and preflights too, but not at the edge', () => {
    for (const status of [204, 401, 403, 414, 429, 431]) {
      const refusal = { ...emptyAnswer(204), status }
      expect(respond({ answer: refusal, snapshotAt: 3500 })).toHaveProperty('x-snapshot-age-ms')
      expect(respond({ answer: refusal, snapshotAt: 3500, ageOnRefusals: false })).not.toHaveProperty(
        'x-snapshot-age-ms',
      )
    }
  })

  test('let a listed origin read the answer, any origin only public answers, and no other origin', () => {
    const allowed = {
      'access-control-allow-origin': 'https://panel.example',
      'access-control-expose-headers':
        'X-Request-Id, Retry-After, X-Snapshot-Age-Ms, X-Predicate-Changed-At-Ms-Ago',
    }
    expect(respond({ origin: 'https://panel.example' })).toMatchObject(allowed)
    expect(respond({ origin: 'https://panel.example', anyOrigin: true })).toMatchObject(allowed)
    for (const origin of ['https://other.example', undefined]) {
      expect(respond({ ...(origin && { origin }), anyOrigin: true })).toMatchObject({
        'access-control-allow-origin': '*',
      })
      expect(respond({ ...(origin && { origin }) })).not.toHaveProperty('access-control-allow-origin')
    }
  })
})

describe('an origin', () => {
  test('is compared in any case', () => {
    expect(originRules(['https://Panel.example']).isAllowed('HTTPS://panel.EXAMPLE')).toBe(true)
    expect(originRules([]).isAllowed('https://panel.example')).toBe(false)
  })

  test('is foreign when its host or port differs, or the request names no host, whichever scheme a proxy uses', () => {
    const { isForeign } = originRules([])
    expect(isForeign('https://farm.example', 'farm.example')).toBe(false)
    expect(isForeign('https://other.example', 'farm.example')).toBe(true)
    expect(isForeign('null', 'farm.example')).toBe(true)
    expect(isForeign('http://farm.example:8080', 'farm.example:8080')).toBe(false)
    expect(isForeign('http://farm.example:8081', 'farm.example:8080')).toBe(true)
    expect(isForeign('http://farm.example', 'farm.example:8080')).toBe(true)
    expect(isForeign('http://farm.example', undefined)).toBe(true)
    expect(isForeign('null', 'not a host')).toBe(true)
  })

  test('is our own without a key only where its name cannot be rebound', () => {
    const { isForeign } = originRules(['https://panel.example'], false)
    expect(isForeign('https://panel.example', 'panel.example')).toBe(false)
    for (const host of [
      ...['localhost:8080', 'farm.localhost', 'api:8080', '[::1]:8080', '[fe80::1]'],
      ...['127.0.0.1:8080', '192.168.1.5', '10.0.0.1'],
    ])
      expect([host, isForeign(`http://${host}`, host)]).toEqual([host, false])
    for (const host of [
      ...['evil.example:8080', '1.evil.example', 'localhost.evil.example', '10.0.0.1.evil.example'],
    ])
      expect([host, isForeign(`http://${host}`, host)]).toEqual([host, true])
  })

  test('is shown with at most 100 visible ASCII characters', () => {
    expect(shownOrigin('x'.repeat(100))).toBe('x'.repeat(100))
    expect(shownOrigin('x'.repeat(101))).toBe(`${'x'.repeat(100)}…`)
    expect(shownOrigin('a b\u007fä~!')).toBe('a?b??~!')
  })

  test('that is allowed can send the methods and headers of the API', () => {
    expect(preflightHeaders('https://panel.example')).toEqual({
      'Access-Control-Allow-Origin': 'https://panel.example',
      'Access-Control-Allow-Methods': 'GET, POST, PATCH, DELETE',
      'Access-Control-Allow-Headers': 'Authorization, Content-Type, X-Request-Id',
      'Access-Control-Max-Age': '600',
    })
  })
})

test('a result is encoded once for as long as a bridge answers with the same object', () => {
  const encoded: unknown[] = []
  const toJson = (result: unknown) => {
    encoded.push(result)
    return stringifyRecord(result)
  }
  const players = { players: [{ id: 2n ** 62n, name: 'Abby', isOnline: true }], version: 1 }
  const answer = resultAnswer(players, toJson)
  for (let time = 0; time < 3; time += 1) expect(resultAnswer(players, toJson)).toBe(answer)
  expect(encoded).toEqual([players])
  resultAnswer({ ...players, version: 2 }, toJson)
  expect(encoded).toHaveLength(2)
})

test('a large result has one body in memory for all clients that are receiving it', () => {
  const large = { success: true, base64Png: 'A'.repeat(100_000), width: 1, height: 1 }
  const { body, length } = resultAnswer(large)
  expect(body).toBeInstanceOf(Uint8Array)
  expect(length).toBe(JSON.stringify(large).length)
  expect(resultAnswer(large).body).toBe(body)
})

const counter = { inc() {} }

function started() {
  let now = 0
  const logged: { readonly fields: object; readonly message: string }[] = []
  const gate = createGate({
    keys: openToAll,
    limits: limitsOf({ reads: 0, writes: 0, anonymous: 0, failedKeys: 0 }, () => now),
    origins: originRules([]),
    page: { origin: () => undefined, cookie: '' },
    notices: { throttled() {}, limited() {} },
    metrics: { rateLimited: counter, failedKeys: counter } as never,
    log: { warn: (fields, message) => void logged.push({ fields, message }) },
    monotonic: () => now,
  })
  const ask = (origin: string) =>
    gate.checkOrigin({
      header: (name) => ({ origin, host: 'farm.example' })[name],
      address: '192.0.2.1',
      headBytes: 0,
      manyKeys: false,
    })
  const pass = (milliseconds: number) => {
    now += milliseconds
  }
  return { logged, ask, pass }
}

describe('a refused origin', () => {
  test('is logged at most once a minute, with the variable that would allow it', () => {
    const { logged, ask, pass } = started()
    for (const origin of ['https://one.example', 'https://one.example', 'https://two.example'])
      expect(() => ask(origin)).toThrow(/ALLOWED_ORIGINS/)
    expect(logged).toEqual([
      { fields: { origin: 'https://one.example' }, message: expect.stringContaining('ALLOWED_ORIGINS') },
    ])
    pass(60_000)
    expect(() => ask('https://two.example')).toThrow()
    expect(logged.slice(1)).toEqual([
      { fields: { origin: 'https://two.example' }, message: expect.any(String) },
    ])
  })

  test('is shortened in the log and written without control characters', () => {
    const { logged, ask } = started()
    expect(() => ask(`https://x\n\u001b[31m{"level":"error"}${'y'.repeat(5000)}`)).toThrow()
    expect(logged).toEqual([
      {
        fields: { origin: expect.stringMatching(/^https:\/\/x\?\?\[31m\{"level":"error"\}y{60,80}…$/) },
        message: expect.any(String),
      },
    ])
  })
})
