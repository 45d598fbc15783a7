/** What the router asks for each request, without a server. */
import { describe, expect, test } from 'vitest'
import { endpoints } from '../../../handlers/endpoints/all-endpoints.ts'
import type { SetupPort } from '../../../handlers/setup.ts'
import { addressLines } from '../../../lib/address-lines.ts'
import { allowances } from '../../../runtime/http/allowance.ts'
import { readBytes, requireJson, uploadPieces } from '../../../runtime/http/body.ts'
import type { Caller } from '../../../runtime/http/caller.ts'
import { originRules, preflightHeaders } from '../../../runtime/http/cors.ts'
import { guardedAnswer } from '../../../runtime/http/guarded-answer.ts'
import { accessOf, methodNotAllowed, preflightAnswer } from '../../../runtime/http/methods.ts'
import { unknownPathProblem } from '../../../runtime/http/nearest-path.ts'
import { limitsOf } from '../../../runtime/http/rate-limit.ts'
import { logRequest } from '../../../runtime/http/request-line.ts'
import { cookiesOf, isOfPage, setCookie } from '../../../runtime/http/session-cookies.ts'
import { setupRoutes } from '../../../runtime/http/setup-routes.ts'

const callerWith = (headers: Readonly<Record<string, string>>): Caller => ({
  header: (name) => headers[name],
  address: '192.0.2.1',
  headBytes: 100,
  manyKeys: false,
})

describe('the methods of a path', () => {
  const methods = (...given: readonly (readonly [string, 'public' | 'key'])[]) =>
    new Map(given.map(([method, access]) => [method, { access }]))
  const open = methods(['GET', 'public'], ['POST', 'key'])

  test('are named when another one is called', () => {
    expect(methodNotAllowed('POST')).toMatchObject({
      code: 'method_not_allowed',
      message: 'Method not allowed: use POST',
      details: { allow: 'POST' },
    })
    expect(methodNotAllowed('GET, HEAD, POST').message).toBe('Method not allowed: use GET, HEAD or POST')
  })

  test('need a key for a wrong one unless one of them is public', () => {
    expect([open, methods(['GET', 'key']), undefined].map(accessOf)).toEqual(['public', 'key', 'key'])
  })

  test('are the answer to OPTIONS, a preflight of an allowed origin excepted', () => {
    const origins = originRules(['https://page.example'], true)
    const answer = (origin: string | undefined, known: typeof open | undefined) =>
      preflightAnswer(callerWith(origin === undefined ? {} : { origin }), origins, known)
    const allowed = { status: 204, headers: { Allow: 'GET, HEAD, POST' } }
    expect(answer(undefined, open)).toMatchObject(allowed)
    expect(answer('https://other.example', open)).toMatchObject(allowed)
    expect(answer('https://page.example', undefined)).toMatchObject({
      status: 204,
      headers: preflightHeaders('https://page.example'),
    })
    expect(answer(undefined, undefined)).toBeUndefined()
  })
})

test.each([
  ['/player', '/players'],
  ['/PLAYERS', '/players'],
  ['/api/players', '/players'],
  ['/v1/players', '/players'],
  ['/api/v2/players', '/players'],
  ['/my/api/players', undefined],
  ['/clock_speed', '/clock-speed'],
  ['/plyers', '/players'],
  ['/plyrs', undefined],
  ['/invte-cde', '/invite-code'],
  ['/inv-cd', undefined],
  ['/doc', '/docs'],
  ['/openapi', undefined],
  ['/openapi.jso', '/openapi.json'],
  ['/asyncapi.jso', '/asyncapi.json'],
  ['/assets/:fil', undefined],
  ['/x', undefined],
  [`/${'players'.padEnd(64, 's')}`, undefined],
])('the unknown path %s is answered with the nearest one: %s', (path, nearest) => {
  const known = ['/', '/time', '/players', '/clock-speed', '/invite-code', '/assets/:file']
  const suggestion = nearest === undefined ? '' : ` Did you mean ${nearest}?`
  expect(unknownPathProblem(path, known)).toMatchObject({
    code: 'not_found',
    message: `Not found.${suggestion} All paths are listed at /docs`,
    details: { path },
  })
})

test('requests without a key count against the allowance of their kind', () => {
  const allowance = allowances(endpoints)
  expect(
    [
      ...(['OPTIONS /health', 'GET /health', 'HEAD /ready', 'POST /health', 'GET /ws', 'POST /ws'] as const),
      ...(['GET /players', 'GET /status', 'POST /sign-out', 'GET /backups', ' '] as const),
      ...endpoints
        .filter(({ at, access }) => at === 'farm' && access === 'public')
        .map(({ method, path }) => `${method} ${path}`),
    ].map((line) => {
      const [method = '', path = ''] = line.split(' ')
      return `${line}: ${allowance(method, path)}`
    }),
  ).toMatchInlineSnapshot(`
    [
      "OPTIONS /health: preflights",
      "GET /health: probes",
      "HEAD /ready: probes",
      "POST /health: anonymous",
      "GET /ws: handshakes",
      "POST /ws: anonymous",
      "GET /players: anonymous",
      "GET /status: anonymous",
      "POST /sign-out: anonymous",
      "GET /backups: anonymous",
      " : anonymous",
      "GET /sign-in: signIns",
      "GET /sign-in/discord: signIns",
      "GET /sign-in/oidc: signIns",
      "GET /sign-in/callback: signIns",
      "POST /sign-in/session: signIns",
      "POST /invitations/show: signIns",
      "GET /downloads/file: downloads",
      "GET /mods/shared-pack: downloads",
    ]
  `)
})

test.each(['signIns', 'downloads'] as const)(
  '%s have 60 a minute of an address and 300 of all, and 0 requests a minute are unlimited',
  (kind) => {
    const most = (anonymous: number, what: 'ofAddress' | 'ofAll' | 'refusals') => {
      const limits = limitsOf({ reads: 0, writes: 0, anonymous, failedKeys: 0 }, () => 0)
      const limit = { ofAddress: limits[kind], ofAll: limits.together[kind].all, refusals: limits.refusals }[
        what
      ]
      let taken = 0
      while (taken < 1000 && limit.take('192.0.2.1') === 0) taken += 1
      return taken
    }
    expect([most(30, 'ofAddress'), most(1000, 'ofAddress'), most(0, 'ofAddress')]).toEqual([30, 60, 1000])
    expect([most(30, 'ofAll'), most(0, 'ofAll'), most(0, 'refusals')]).toEqual([300, 1000, 120])
  },
)

test.each([
  ['a success', 200, {}, 'info'],
  ['a refusal', 404, {}, 'refusal'],
  ['a refusal of a key holder', 400, { isHolder: true }, 'info'],
  ['a long poll whose time is over', 408, {}, 'info'],
  ['a failure', 500, {}, 'warn'],
  ['an offline game', 503, {}, 'warn'],
  ['a public answer', 399, { isPublic: true }, 'debug'],
  ['a public answer of an offline game', 503, { isPublic: true }, 'debug'],
  ['a refused public request', 400, { isPublic: true }, 'refusal'],
  ['a failed public request', 502, { isPublic: true }, 'warn'],
  ['a preflight', 204, { method: 'OPTIONS' }, 'debug'],
])(
  '%s (%i) is logged at its level',
  (_what, status, asked: { method?: string; isPublic?: boolean; isHolder?: boolean }, level) => {
    const { method = 'GET', ...caller } = asked
    const logged: unknown[] = []
    const to = (name: string) => (fields: object, message: string) =>
      void logged.push([name, fields, message])
    const log = {
      debug: to('debug'),
      info: to('info'),
      warn: to('warn'),
      error: to('error'),
      fatal: to('fatal'),
    }
    const refusalLines = addressLines({ now: () => 0, leftOut: (...left) => void logged.push(left) })
    const line = { requestId: 'r1', method, path: '/x', status, ms: 1, address: '192.0.2.1' }
    for (const _again of ['first', 'second'])
      logRequest(line, { isPublic: false, isHolder: false, ...caller }, { log, refusalLines })
    const once = [level === 'refusal' ? 'info' : level, line, 'request']
    expect(logged).toEqual(level === 'refusal' ? [once] : [once, once])
    refusalLines.flush(true)
    expect(logged.slice(2)).toEqual([])
    expect(logged.slice(1)).toEqual(level === 'refusal' ? [['192.0.2.1', 1]] : [once])
  },
)

describe('the cookies of a session', () => {
  const at = (origin: string | undefined) => ({ origin: () => origin, cookie: 'farm' })
  const secure = at('https://farm.example')
  const plain = at('http://farm.example:8080')
  const sending = (cookie: string) => callerWith({ cookie })

  test('are read by the name of the farm, which is another one on plain HTTP and for an attempt to sign in', () => {
    const all = sending('farm=a.b; __Host-farm=c; other=d;  farm.sign-in=e;__Host-farm=f.g')
    expect(cookiesOf('session', all, plain)).toEqual([['a', 'b']])
    expect(cookiesOf('session', all, secure)).toEqual([['c'], ['f', 'g']])
    expect(cookiesOf('attempt', all, plain)).toEqual([['e']])
    expect(cookiesOf('session', all, at(undefined))).toEqual([])
    expect(cookiesOf('session', callerWith({}), plain)).toEqual([])
    expect(cookiesOf('session', sending('farm=1.2.3.4.5.6.7'), plain)).toEqual([['1', '2', '3', '4', '5']])
  })

  test('are set with the newest value first, for this host only, hidden from scripts', () => {
    expect(setCookie('session', 'new', callerWith({}), secure)).toEqual({
      'Set-Cookie': '__Host-farm=new; Path=/; Max-Age=34560000; HttpOnly; SameSite=Lax; Secure',
    })
    expect(setCookie('attempt', 'new', callerWith({}), plain)).toEqual({
      'Set-Cookie': 'farm.sign-in=new; Path=/; Max-Age=600; HttpOnly; SameSite=Lax',
    })
    expect(setCookie('session', 'new', callerWith({}), at(undefined))).toEqual({})
  })

  test('keep the valid values of other farms, at most five, and none where another host has added a cookie', () => {
    const set = (cookie: string, value: string, isRemoved?: (one: string) => boolean) =>
      /^farm=([^;]*); Path=\/; Max-Age=(\d+)/
        .exec(setCookie('session', value, sending(cookie), plain, isRemoved)['Set-Cookie'] ?? '')
        ?.slice(1)
    expect(set('farm=a.b%20.c', 'new')).toEqual(['new.a.c', '34560000'])
    expect(set('farm=a.b.c.d.e', 'new')).toEqual(['new.a.b.c.d', '34560000'])
    expect(set('farm=a; farm=b', 'new')).toEqual(['new', '34560000'])
    expect(set('farm=a.b', '', (one) => one === 'a')).toEqual(['b', '34560000'])
    expect(set('farm=a', '', () => true)).toEqual(['', '0'])
  })

  test('count for a change only on the page itself', () => {
    const page = callerWith({ origin: 'https://farm.example' })
    expect([isOfPage(page, secure), isOfPage(page, plain), isOfPage(callerWith({}), at(undefined))]).toEqual([
      true,
      false,
      false,
    ])
  })
})

describe('the set-up in the browser', () => {
  const asked: unknown[] = []
  const setup: SetupPort = {
    async pass(path, call) {
      asked.push([path, call])
      return { view: { state: 'sign_in' }, cookie: path === '/setup' ? 'new' : undefined }
    },
    async makeKey(call, from) {
      asked.push([call, from])
      return { key: 'fg_key' }
    },
  }
  const { signal: over } = new AbortController()
  const headers = { authorization: 'Bearer code', cookie: 'farmgate-setup=old' }
  const visit = (more: Readonly<Record<string, string>> = {}) => ({
    caller: { ...callerWith({ ...headers, ...more }), over },
    requestId: 'r1',
  })

  test('is passed on with its code and cookie, and sets the cookie for its own paths', async () => {
    const answered = await Promise.all(
      setupRoutes({ setup, basePath: '/farm' }).map(async ({ method, path, answer }) => {
        const { status, body, headers: set } = await answer(visit())
        return [`${method} ${path}`, status, body, set?.['Set-Cookie']]
      }),
    )
    const view = '{"state":"sign_in"}'
    const cookie = 'farmgate-setup=new; Path=/farm/setup; HttpOnly; SameSite=Strict'
    expect(answered).toEqual([
      ['GET /setup', 200, view, cookie],
      ['POST /setup/sign-in', 202, view, undefined],
      ['POST /setup/download', 202, view, undefined],
      ['POST /setup/key', 201, '{"key":"fg_key"}', undefined],
    ])
    const call = (method: string) => ({ method, address: '192.0.2.1', ...headers, over })
    expect(asked).toEqual([
      ['/setup', call('GET')],
      ['/setup/sign-in', call('POST')],
      ['/setup/download', call('POST')],
      [call('POST'), { requestId: 'r1', address: '192.0.2.1' }],
    ])
    await setupRoutes({ setup, basePath: '' })
      .at(-1)
      ?.answer(visit({ 'user-agent': 'farmgate/0.3.0' }))
    expect(asked.at(-1)).toEqual([call('POST'), { requestId: 'r1', address: '192.0.2.1', isCommand: true }])
  })

  test('is unsupported without a ticket service', async () => {
    for (const { answer } of setupRoutes({ basePath: '' }))
      await expect(answer(visit())).rejects.toMatchObject({
        code: 'unsupported',
        message: expect.stringContaining('Set PLATFORM_AUTH_URL'),
      })
  })
})

describe('an answer that is made while it is sent', () => {
  const failing = (pieces: number) => {
    let left = pieces
    return new ReadableStream<Uint8Array>({
      pull(controller) {
        if (left === 0) throw new Error('the disk failed')
        left -= 1
        controller.enqueue(new Uint8Array([left]))
      },
    })
  }
  const answerOf = (body: ReadableStream<Uint8Array>, bytes?: number) => ({
    status: 200,
    type: 'application/zip',
    headers: {},
    body,
    ...(bytes !== undefined && { bytes }),
  })
  function guarded(body: ReadableStream<Uint8Array>, more: { breakOff?: () => void; bytes?: number } = {}) {
    const logged: unknown[] = []
    const { breakOff, bytes } = more
    const answer = guardedAnswer(
      answerOf(body, bytes),
      { ...(breakOff !== undefined && { breakOff }) },
      {
        log: { warn: (fields, message) => void logged.push([fields, message]) },
        fixedLength: (_body, length) => new Blob([`${length} bytes`]).stream(),
      },
      { requestId: 'r1' },
    )
    return { answer, logged }
  }
  const cutShort = [
    [{ requestId: 'r1', cause: expect.stringContaining('the disk failed') }, 'an answer was cut short'],
  ]

  test('is sent as it is, with the length that the platform needs', async () => {
    const { answer, logged } = guarded(new Blob(['whole']).stream())
    expect(await new Response(answer.body).text()).toBe('whole')
    const sized = guarded(new Blob(['whole']).stream(), { bytes: 5 })
    expect(await new Response(sized.answer.body).text()).toBe('5 bytes')
    expect([answer.status, answer.type, logged]).toEqual([200, 'application/zip', []])
  })

  test('that fails is logged and ends the connection, or the body where the platform does it', async () => {
    const plain = guarded(failing(1))
    await expect(new Response(plain.answer.body).text()).rejects.toThrow('the disk failed')
    expect(plain.logged).toEqual(cutShort)
    const { promise, resolve } = Promise.withResolvers<void>()
    const cut = guarded(failing(0), { breakOff: resolve })
    void cut.answer.body.getReader().read()
    await promise
    expect(cut.logged).toEqual(cutShort)
  })

  test('that no one reads any more ends what makes it, and logs nothing', async () => {
    const reasons: unknown[] = []
    const { answer, logged } = guarded(new ReadableStream({ cancel: (why) => void reasons.push(why) }))
    const reader = answer.body.getReader()
    const read = reader.read()
    await reader.cancel('the client has left')
    expect([reasons, (await read).done, logged]).toEqual([['the client has left'], true, []])
  })
})

describe('a body', () => {
  const request = (body: string) => new Request('http://a/', { method: 'POST', body })
  const upload = (body: string | null, sent: { type?: string; length?: string }) => {
    const { type, length } = sent
    const stream = body === null ? null : new Blob([body]).stream()
    return uploadPieces({ type: 'application/zip', maxBytes: 5 }, stream, { type, length })
  }
  const read = async (pieces: AsyncIterable<Uint8Array>) => {
    let text = ''
    for await (const piece of pieces) text += Buffer.from(piece).toString()
    return text
  }
  const zip = 'application/zip'

  test('has at most the bytes of its endpoint, also where Content-Length says nothing of it', async () => {
    expect(Buffer.from(await readBytes(request('12345'), 5)).toString()).toBe('12345')
    expect(await read(upload('12345', { type: zip, length: '5' }))).toBe('12345')
    expect(await read(upload(null, { type: zip }))).toBe('')
    const tooLarge = { code: 'payload_too_large', message: 'The body is larger than 5 bytes' }
    await expect(readBytes(request('123456'), 5)).rejects.toMatchObject(tooLarge)
    await expect(read(upload('123456', { type: zip }))).rejects.toMatchObject(tooLarge)
    expect(() => upload('', { type: zip, length: '6' })).toThrow(expect.objectContaining(tooLarge))
  })

  test('that ends early is malformed', async () => {
    const body = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error('cut')) })
    const pieces = uploadPieces({ type: zip, maxBytes: 5 }, body, { type: zip, length: undefined })
    await expect(read(pieces)).rejects.toMatchObject({
      code: 'malformed_request',
      message: 'The body ended early',
    })
  })

  test('has the type of its endpoint, whatever its parameters and case', () => {
    requireJson('application/json')
    requireJson(' Application/JSON ; charset=utf-8')
    for (const type of [undefined, '', 'text/plain', 'text/plain; application/json'])
      expect(() => requireJson(type)).toThrow(
        expect.objectContaining({
          code: 'unsupported_media_type',
          message: 'The body must be application/json, and Content-Type must say so',
        }),
      )
    expect(() => upload('', {})).toThrow('The body must be application/zip')
  })
})
