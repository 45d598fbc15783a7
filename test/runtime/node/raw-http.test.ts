/** HTTP requests as raw bytes that no client library sends. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { suiteKey } from '../../contract/server-under-test.ts'
import { type NodeServer, nodeServer } from './node-server.ts'
import { bodyOf, everything, exchange, openSocket, requestText, statusOf } from './raw-socket.ts'

let server: NodeServer
beforeAll(async () => {
  server = await nodeServer()
})
afterAll(() => server.stop())

const bearer = `Authorization: Bearer ${suiteKey}`
const ask = (first: string, ...headers: string[]) => exchange(server.port, requestText(first, ...headers))
const expectProblem = (answer: string, status: number, code: string) => {
  expect(statusOf(answer)).toBe(status)
  expect(JSON.parse(bodyOf(answer))).toMatchObject({ success: false, error: expect.any(String), code })
  expect(answer).toMatch(/^x-request-id: \S+\r$/im)
  expect(answer).toMatch(/^x-content-type-options: nosniff\r$/im)
}
/** Expects that nothing was logged as an error, and that the server still answers. */
const expectUnharmed = async () => {
  expect(server.log.filter(({ message }) => message === 'request failed')).toEqual([])
  expect(statusOf(await ask('GET /health HTTP/1.1'))).toBe(200)
}

describe('HTTP/1.0', () => {
  test('without Host is served: headers, one JSON value, and the connection closes', async () => {
    const answer = await exchange(server.port, 'GET /health HTTP/1.0\r\n\r\n')
    expect(statusOf(answer)).toBe(200)
    expect(JSON.parse(bodyOf(answer))).toMatchObject({ status: 'ok' })
    expect(answer).not.toMatch(/^transfer-encoding/im)
  })

  test('with a key, for reads and writes', async () => {
    expect(statusOf(await exchange(server.port, `GET /players HTTP/1.0\r\n${bearer}\r\n\r\n`))).toBe(200)
    expect(statusOf(await exchange(server.port, `POST /rendering?fps=2 HTTP/1.0\r\n${bearer}\r\n\r\n`))).toBe(
      200,
    )
  })
})

describe('bodies', () => {
  test('a POST without Content-Length is served, and the connection goes on', async () => {
    const socket = await openSocket(server.port)
    const received = everything(socket)
    const head = `POST /rendering?fps=4 HTTP/1.1\r\nHost: localhost\r\n${bearer}\r\n\r\n`
    socket.write(head + head.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))
    expect((await received).match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2)
  })

  test('the server does not wait for a body that is announced and never sent', async () => {
    const answer = await ask('POST /rendering?fps=4 HTTP/1.1', bearer, 'Content-Length: 1000000')
    expect(statusOf(answer)).toBe(200)
  })

  test('a chunked body is ignored', async () => {
    const head = requestText('POST /rendering?fps=4 HTTP/1.1', bearer, 'Transfer-Encoding: chunked')
    expect(statusOf(await exchange(server.port, `${head}5\r\nhello\r\n0\r\n\r\n`))).toBe(200)
  })

  test('a body on GET, DELETE and HEAD is ignored, and the server goes on', async () => {
    for (const method of ['GET', 'DELETE', 'HEAD'])
      expect(
        statusOf(
          await exchange(server.port, `${requestText(`${method} /health HTTP/1.1`, 'Content-Length: 3')}abc`),
        ),
      ).toBe(method === 'DELETE' ? 405 : 200)
    await expectUnharmed()
  })
})

describe('targets', () => {
  test.each([
    '//',
    '///',
    '//health',
    '/%zz',
    '/%',
    '/%00',
    '/..',
    '/../../etc/passwd',
    '/.',
    '/;',
    '/health%',
    '/health%20',
    '/\\',
    '/\\\\evil.example',
    '/é',
    '/\x01',
    '/?',
    '/?%zz',
    '/#fragment',
    '/__proto__',
    '/constructor',
    '*',
    'health',
    '',
  ])('GET %j is answered with JSON of the common error shape and never 500', async (target) => {
    for (const headers of [[], [bearer]]) {
      const answer = await ask(`GET ${target} HTTP/1.1`, ...headers)
      expect([400, 401, 404]).toContain(statusOf(answer))
      expect(JSON.parse(bodyOf(answer))).toMatchObject({ success: false, code: expect.any(String) })
    }
    await expectUnharmed()
  })

  test.each([
    'http://localhost/health',
    'http://evil.example/health',
    'HTTP://x/health',
    'https://x:99999/health',
    'http://[/health',
    'ftp://x/health',
    'http://',
  ])('an absolute-form target %j is served or refused, never 500', async (target) => {
    expect([200, 400, 404, 401]).toContain(statusOf(await ask(`GET ${target} HTTP/1.1`)))
    await expectUnharmed()
  })

  test('an absolute-form target does not make a foreign Origin count as the API’s own', async () => {
    const answer = await ask(
      'POST http://evil.example/rendering?fps=1 HTTP/1.1',
      bearer,
      'Origin: http://evil.example',
    )
    expect(statusOf(answer)).toBe(403)
  })

  test('a URL of 20 KB is 414', async () => {
    expectProblem(await ask(`GET /${'x'.repeat(14_000)} HTTP/1.1`), 414, 'uri_too_long')
    expectProblem(await ask(`GET /${'x'.repeat(20_000)} HTTP/1.1`), 414, 'uri_too_long')
  })

  test('a URL of 70 KB is refused before it is read', async () => {
    expectProblem(await ask(`GET /${'x'.repeat(70_000)} HTTP/1.1`), 431, 'headers_too_large')
  })
})

describe('methods', () => {
  test.each(['PUT', 'PATCH', 'TRACE', 'PROPFIND', 'PURGE'])('%s on a known path is 405', async (method) => {
    expectProblem(await ask(`${method} /status HTTP/1.1`), 405, 'method_not_allowed')
  })

  test.each(['BREW', 'get', '', 'G\x00T'])('an invalid method %j is 400', async (method) => {
    expectProblem(await ask(`${method} /status HTTP/1.1`), 400, 'malformed_request')
  })

  test('CONNECT ends the connection, and the server goes on', async () => {
    await ask('CONNECT evil.example:443 HTTP/1.1')
    await expectUnharmed()
  })
})

describe('headers', () => {
  const status = async (...headers: string[]) => statusOf(await ask('GET /players HTTP/1.1', ...headers))

  test('a key in latin-1, a key sent twice and a key of 10 KB are 401', async () => {
    expect(await status('Authorization: Bearer \xe9\xe8\xff')).toBe(401)
    expect(await status(bearer, bearer)).toBe(401)
    expect(await status(bearer, 'Authorization: Bearer wrong')).toBe(401)
    expect(await status(`Authorization: Bearer ${suiteKey}, Bearer ${suiteKey}`)).toBe(401)
    expect(await status(`Authorization: Bearer ${'k'.repeat(10_000)}`)).toBe(401)
    expect(await status('Authorization: Bearer\t')).toBe(401)
    expect(await status(bearer)).toBe(200)
  })

  test('headers over 16 KiB are 431, as one large header or thousands of small ones', async () => {
    expectProblem(await ask('GET /health HTTP/1.1', `X: ${'y'.repeat(17_000)}`), 431, 'headers_too_large')
    const many = Array.from({ length: 1500 }, (_, at) => `X-${at}: yyyyyyyy`)
    expectProblem(await ask('GET /health HTTP/1.1', ...many), 431, 'headers_too_large')
    expectProblem(await ask('GET /health HTTP/1.1', `X: ${'y'.repeat(200_000)}`), 431, 'headers_too_large')
  })

  test.each([
    ['HTTP/1.1 without Host', 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['two Hosts', requestText('GET /health HTTP/1.1', 'Host: localhost')],
    ['two Hosts of which one is foreign', requestText('GET /health HTTP/1.1', 'Host: evil.example')],
    ['two Hosts of HTTP/1.0', requestText('GET /health HTTP/1.0', 'Host: localhost')],
    ['a header without a colon', requestText('GET /health HTTP/1.1', 'nonsense')],
    ['a header with a blank name', requestText('GET /health HTTP/1.1', ': x')],
    [
      'two Content-Lengths',
      requestText('POST /time?value=900 HTTP/1.1', 'Content-Length: 1', 'Content-Length: 2'),
    ],
    [
      'Content-Length and chunked',
      requestText('POST /time?value=900 HTTP/1.1', 'Content-Length: 1', 'Transfer-Encoding: chunked'),
    ],
    ['HTTP/9.9', requestText('GET /health HTTP/9.9')],
    ['no HTTP at all', 'hello there\r\n\r\n'],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'.padEnd(300, '\x07')],
  ])('%s is 400 malformed_request, and the connection closes', async (_what, bytes) => {
    expectProblem(await exchange(server.port, bytes), 400, 'malformed_request')
    await expectUnharmed()
  })

  test.each(['a b', '[', ']:::', 'x:99999', '%zz', 'http://x', 'é', '', '/', '@', 'a'.repeat(3000)])(
    'a Host of %j never makes a 500',
    async (host) => {
      const bytes = Buffer.from(
        `GET /status HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
        'latin1',
      )
      expect([200, 400]).toContain(statusOf(await exchange(server.port, bytes)))
      await expectUnharmed()
    },
  )

  test.each([
    'LOCALHOST',
    'LocalHost:8080',
    '[::ffff:127.0.0.1]',
    '[::FFFF:127.0.0.1]:8080',
    '[0:0:0:0:0:0:0:1]:8080',
  ])(
    'a Host of %s is the loopback host of the API: its pages may write, other pages may not',
    async (host) => {
      const write = async (origin: string) =>
        statusOf(
          await exchange(
            server.port,
            `POST /rendering?fps=1 HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${origin}\r\n${bearer}\r\nConnection: close\r\n\r\n`,
          ),
        )
      expect(await write(new URL(`http://${host}`).origin)).toBe(200)
      expect(await write('http://evil.example')).toBe(403)
    },
  )

  test('a request with an unknown Expect is served and not answered with 417', async () => {
    const answer = await ask('GET /health HTTP/1.1', 'Expect: tea')
    expect(statusOf(answer)).toBe(200)
    expect(answer).toMatch(/^x-request-id: \S+\r$/im)
  })

  test('curl --http2 (Upgrade: h2c) is served as plain HTTP', async () => {
    const answer = await exchange(
      server.port,
      `GET /players HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n${bearer}\r\n\r\n`,
      500,
    )
    expect(statusOf(answer)).toBe(200)
    expect(JSON.parse(bodyOf(answer))).toMatchObject({ players: expect.any(Array) })
  })

  test('keep-alive is 65 s', async () => {
    const answer = await exchange(server.port, 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n', 300)
    expect(answer).toMatch(/^keep-alive: timeout=65\r$/im)
  })

  test('Expect: 100-continue is answered', async () => {
    const answer = await ask(
      'POST /rendering?fps=1 HTTP/1.1',
      bearer,
      'Content-Length: 3',
      'Expect: 100-continue',
    )
    expect(answer).toMatch(/HTTP\/1\.1 (100|200) /)
    await expectUnharmed()
  })

  test('many requests down one connection are answered in order', async () => {
    const one = 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n'
    const answer = await exchange(server.port, one.repeat(50) + requestText('GET /health HTTP/1.1'))
    expect(answer.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(51)
  })

  test('a request that is cut off at any byte does no harm to the server', async () => {
    const whole = requestText('POST /rendering?fps=1 HTTP/1.1', bearer, 'Content-Length: 10')
    for (let length = 1; length < whole.length; length += 7) {
      const socket = await openSocket(server.port)
      socket.write(whole.slice(0, length))
      if (length % 2 === 0) socket.resetAndDestroy()
      else socket.end()
    }
    await expectUnharmed()
  })

  test('10 s to send headers, then 408 without a body', async () => {
    const began = performance.now()
    const answer = await exchange(server.port, 'GET /health HTTP/1.1\r\nHost: x\r\n', 15_000)
    expect([statusOf(answer), bodyOf(answer)]).toEqual([408, ''])
    expect(performance.now() - began).toBeGreaterThan(9_000)
  })
})
