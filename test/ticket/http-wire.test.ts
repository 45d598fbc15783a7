import { Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Listening, listen } from '../../ticket/http/listen.ts'
import { fakePlatform } from './fake-platform.ts'
import { httpSetting } from './http-setting.ts'

let server: Listening
beforeAll(async () => {
  server = await listen(httpSetting(fakePlatform()).app, 0, '127.0.0.1')
})
afterAll(() => server.close())

/** Sends bytes as they are. @returns all that comes back. */
function send(text: string): Promise<string> {
  return new Promise((resolve) => {
    let received = ''
    const socket = new Socket().connect(server.port, '127.0.0.1')
    socket.on('data', (data) => {
      received += data
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(received))
    socket.end(text)
  })
}

test.each([
  'GET // HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET http://[ HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET /%ff%00 HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET /health HTTP/1.1\r\nHost: a b\r\n\r\n',
  'GET /health HTTP/1.1\r\n\r\n',
  'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n',
  'CONNECT other:443 HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET /health HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
  'POST /steam/lobby/create HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
  'POST /steam/lobby/create HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n',
  `GET /${'x'.repeat(40_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
  '\x16\x03\x01\x02\x00',
])('an invalid request (%.40s) gets no ticket, and the service goes on', async (text) => {
  expect(await send(text)).not.toContain('app_ticket')
  expect((await fetch(`http://127.0.0.1:${server.port}/health`)).status).toBe(200)
})
