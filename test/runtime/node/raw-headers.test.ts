/** Headers as raw bytes that no client library sends. */
import { describe, expect, test } from 'vitest'
import { suiteKey } from '../../contract/server-under-test.ts'
import { rawServer } from './raw-http.ts'
import { bodyOf, exchange, openSocket, requestText, statusOf } from './raw-socket.ts'

const bearer = `Authorization: Bearer ${suiteKey}`

const { server, ask, expectProblem, expectUnharmed } = await rawServer()

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
