/** Clients that hold connections by being slow, against both services: a key holder is served all the same. */
import type { Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { ConnectionLimits } from '../../lib/connection-limits.ts'
import { suiteKey } from '../contract/server-under-test.ts'
import { handshakeText } from '../raw-bytes.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { exchange, openStubborn, requestText, statusOf } from '../runtime/node/raw-socket.ts'
import { fakePlatform } from '../ticket/fake-platform.ts'
import { httpSetting, listening } from '../ticket/http-setting.ts'

/** More than the limit of the servers. */
const clients = 24
const limits: Partial<ConnectionLimits> = { maxConnections: 8 }

/** Sends a byte at a time until the connection ends. */
function drip(socket: Socket, bytes: string): void {
  let sent = 0
  const dripping = setInterval(() => void socket.write(bytes.charAt(sent++ % bytes.length)), 5)
  onTestFinished(() => clearInterval(dripping))
  socket.on('close', () => clearInterval(dripping))
}

const head = 'POST /rendering HTTP/1.1\r\nHost: x\r\n'

/** What each client does on its connection. */
const kinds: Readonly<Record<string, (socket: Socket) => void>> = {
  'sends nothing': () => undefined,
  'sends half of a request line': (socket) => socket.write('GET /hea'),
  'sends a request line byte by byte': (socket) => drip(socket, 'GET /health'),
  'sends header after header, byte by byte': (socket) => {
    socket.write(head)
    drip(socket, 'X-A: b\r\n')
  },
  'sends one header without end, byte by byte': (socket) => {
    socket.write(`${head}X-A: `)
    drip(socket, 'b')
  },
  'sends an announced body byte by byte': (socket) => {
    socket.write(`${head}Content-Length: 1000000\r\n\r\n`)
    drip(socket, 'x')
  },
  'sends a chunked body without end, byte by byte': (socket) => {
    socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`)
    drip(socket, '1\r\nx\r\n')
  },
  'sends a handshake byte by byte': (socket) => drip(socket, handshakeText('/ws')),
  'reads none of its answers': (socket) => {
    socket.pause()
    socket.write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(90))
  },
}

async function farmgate() {
  const node = await nodeServer({ server: { connections: limits } })
  onTestFinished(() => node.stop())
  return { port: node.port, path: '/players', key: suiteKey }
}

async function ticketService() {
  const key = 'canary-key.~_-0123456789'
  const { port, close } = await listening(httpSetting(fakePlatform(), key), limits)
  onTestFinished(close)
  return { port, path: '/platform/app-ticket', key }
}

describe.each([
  ['the control API', farmgate],
  ['the ticket service', ticketService],
])('%s, all of whose connections are taken by a client that', (_service, start) => {
  test.each(Object.entries(kinds))('%s, serves a key holder on a new connection', async (_kind, act) => {
    const { port, path, key } = await start()
    for (let count = 0; count < clients; count += 1) {
      const socket = await openStubborn(port)
      socket.resume()
      act(socket)
    }
    const request = requestText(`GET ${path} HTTP/1.1`, `Authorization: Bearer ${key}`, 'Connection: close')
    for (let count = 0; count < 3; count += 1) expect(statusOf(await exchange(port, request))).toBe(200)
  })
})
