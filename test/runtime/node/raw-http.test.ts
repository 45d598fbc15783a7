/** Requests, bodies, targets and methods as raw bytes that no client library sends. */
import { describe, expect, test } from 'vitest'
import { suiteKey } from '../../contract/server-under-test.ts'
import { rawServer } from './raw-http.ts'
import { bodyOf, everything, exchange, openSocket, requestText, statusOf } from './raw-socket.ts'

const bearer = `Authorization: Bearer ${suiteKey}`

const { server, ask, expectProblem, expectUnharmed } = await rawServer()

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
