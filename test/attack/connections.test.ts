/** Connections whose peers send too slowly, do not read or do not close (docs/security.md), against both services. */
import type { Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type ConnectionLimits, usualLimits } from '../../lib/connection-limits.ts'
import { bodyOf, handshakeText, statusesOf, statusOf } from '../raw-bytes.ts'
import {
  acceptedSockets,
  everything,
  exchange,
  openSocket,
  openStubborn,
} from '../runtime/node/raw-socket.ts'
import { eventually } from '../wait.ts'
import { type StartService, services } from './http/services.ts'
import { lines, type Requests } from './http/shape.ts'

const garbage = 'hello there\r\n\r\n'
const health = lines('GET /health HTTP/1.1', 'Host: x')
const lastOf = (target: string, ...headers: readonly string[]) =>
  lines(`GET ${target} HTTP/1.1`, 'Host: x', 'Connection: close', ...headers)

/** The bytes after a write on its connection, and the statuses. */
const followers: readonly (readonly [what: string, (requests: Requests) => string, readonly number[]])[] = [
  ['a broken chunk of its own body', ({ post }) => `${post('Transfer-Encoding: chunked')}zz\r\n`, [200]],
  [
    'a broken chunk behind a good one',
    ({ post }) => `${post('Transfer-Encoding: chunked')}1\r\nx\r\nzz\r\n`,
    [200],
  ],
  ['more behind Connection: close', ({ post }) => `${post('Connection: close')}GET /hea`, [200]],
  ['no HTTP', ({ post }) => post() + garbage, [200, 400]],
  ['a body longer than announced', ({ post }) => `${post('Content-Length: 1')}x${garbage}`, [200, 400]],
  ['a method that is none', ({ post }) => post() + lines('BREW / HTTP/1.1', 'Host: x'), [200, 400]],
  [
    'a header without a colon',
    ({ post }) => post() + lines('GET / HTTP/1.1', 'Host: x', 'nonsense'),
    [200, 400],
  ],
  ['no Host', ({ post }) => post() + lines('GET /health HTTP/1.1'), [200, 400]],
  ['headers too large', ({ post, get }) => post() + get('/health', `X: ${'y'.repeat(70_000)}`), [200, 431]],
  ['CONNECT', ({ post }) => post() + lines('CONNECT evil.example:443 HTTP/1.1', 'Host: x'), [200, 400]],
]

/** The bytes of a peer that never closes its own side. */
const refused: readonly (readonly [what: string, bytes: string])[] = [
  ['headers that do not come in time', 'GET /health HTTP/1.1\r\n'],
  ['nothing at all', ''],
  ['no HTTP', garbage],
  ['endless garbage', garbage.repeat(10_000)],
  ['no Host', lines('GET /health HTTP/1.1')],
  ['headers too large', lines('GET /health HTTP/1.1', `X: ${'y'.repeat(200_000)}`)],
  ['one wrong key after another', lines('GET /x HTTP/1.1', 'Host: x', 'Authorization: Bearer x').repeat(200)],
  ['a last request', lastOf('/health')],
]

/** Sends a byte at a time until the connection ends. */
function drip(socket: Socket, bytes: string): void {
  let sent = 0
  const dripping = setInterval(() => void socket.write(bytes.charAt(sent++ % bytes.length)), 5)
  onTestFinished(() => clearInterval(dripping))
  socket.on('close', () => clearInterval(dripping))
}

const head = 'POST /rendering HTTP/1.1\r\nHost: x\r\n'

/** What each client does on its connection. */
const slow: Readonly<Record<string, (socket: Socket) => void>> = {
  'sends nothing': () => undefined,
  'sends half of a request line': (socket) => socket.write('GET /hea'),
  'sends a request line byte by byte': (socket) => drip(socket, 'GET /health'),
  'sends header after header, byte by byte': (socket) => {
    socket.write(head)
    drip(socket, 'X-A: b\r\n')
  },
  'sends one endless header, byte by byte': (socket) => {
    socket.write(`${head}X-A: `)
    drip(socket, 'b')
  },
  'sends an announced body byte by byte': (socket) => {
    socket.write(`${head}Content-Length: 1000000\r\n\r\n`)
    drip(socket, 'x')
  },
  'sends an endless chunked body, byte by byte': (socket) => {
    socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`)
    drip(socket, '1\r\nx\r\n')
  },
  'sends a handshake byte by byte': (socket) => drip(socket, handshakeText('/ws')),
  'reads none of its answers': (socket) => {
    socket.pause()
    socket.write(health.repeat(90))
  },
}

async function started(start: StartService, limits: Partial<ConnectionLimits> = {}) {
  const service = await start(limits)
  onTestFinished(() => service.stop())
  return service
}

/** Expects that the one open connection ends. */
const expectEnd = (accepted: readonly Socket[]) =>
  eventually(() => expect(accepted.map(({ destroyed }) => destroyed)).toEqual([true]))

describe.each(services)('%s', (_name, start) => {
  test.each(followers)(
    'answers a write with any bytes after it on its connection, and then the connection ends: %s',
    async (_what, bytes, expected) => {
      const service = await started(start)
      const release = service.hold()
      const socket = await openSocket(service.port)
      const answers = everything(socket)
      socket.write(bytes(service), 'latin1')
      await eventually(() => expect(service.writes()).toBe(1))
      release()
      expect(statusesOf(await answers)).toEqual(expected)
      expect(socket.closed).toBe(true)
      expect(service.writes()).toBe(1)
    },
  )

  test('serves requests of one connection one at a time, and ends it beyond 100 unanswered ones', async () => {
    const service = await started(start)
    expect(statusesOf(await exchange(service.port, service.post().repeat(1000)))).toEqual(
      Array(100).fill(200),
    )
    expect(service.writes()).toBe(100)
  })

  test('changes nothing for an aborted body', async () => {
    const service = await started(start)
    for (const rest of [
      'Content-Length: 100\r\n\r\n{',
      'Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\nzz\r\n',
    ]) {
      const socket = await openSocket(service.port)
      const answer = everything(socket)
      socket.end(service.reads().replace('\r\n\r\n', `\r\n${rest}`))
      expect([[], [400]]).toContainEqual(statusesOf(await answer))
    }
    expect(service.writes()).toBe(0)
    await service.expectUnharmed()
  })

  test.each(refused)(
    'ends a refused connection, although the peer does not close it: %s',
    async (_what, bytes) => {
      // Node itself has ended the connection of a last request, so the limit on writing destroys it; `linger` the others.
      const writeTimeout = bytes === lastOf('/health') ? 200 : 3_600_000
      const service = await started(start, { linger: 50, headersTimeout: 100, writeTimeout })
      const accepted = acceptedSockets()
      const socket = await openStubborn(service.port)
      socket.resume()
      socket.write(bytes)
      await expectEnd(accepted)
    },
  )

  test('lets the peer read the refusal before the connection ends', async () => {
    const { port } = await started(start)
    const socket = await openStubborn(port)
    const received = everything(socket)
    socket.write(`${garbage}and more`)
    socket.write('and more')
    socket.once('end', () => socket.end())
    expect(statusOf(await received)).toBe(400)
  })

  test('answers late headers with 408, after 10 s unless a test sets another limit', async () => {
    const { port, codes } = await started(start, { headersTimeout: 100 })
    const answer = await exchange(port, 'GET /health HTTP/1.1\r\nHost: x\r\n')
    expect([statusOf(answer), bodyOf(answer)]).toEqual([
      408,
      codes[408] ? expect.stringContaining(`"${codes[408]}"`) : '',
    ])
    expect(usualLimits.headersTimeout).toBe(10_000)
  })

  test.each([
    ['many', ''],
    ['many, and garbage behind them', 'garbage'],
  ])('ends a connection whose answers are not read: %s', async (_what, behind) => {
    const { port, large, bearer } = await started(start, { writeTimeout: 200, maxUnanswered: 100_000 })
    const accepted = acceptedSockets()
    const socket = await openStubborn(port)
    socket.pause()
    socket.write(lines(`GET ${large} HTTP/1.1`, 'Host: x', bearer).repeat(5000) + behind)
    await expectEnd(accepted)
  })

  test('closes the connections without the key that were idle longest for new ones over the limit, which it logs once', async () => {
    const service = await started(start, { maxConnections: 3 })
    const accepted = acceptedSockets()
    const holder = await openSocket(service.port)
    const answered = new Promise((resolve) => holder.once('data', resolve))
    holder.write(service.get(service.keyed, service.bearer))
    await answered
    for (let count = 0; count < 20; count += 1) await openStubborn(service.port)
    await eventually(() =>
      expect(accepted.map(({ destroyed }) => destroyed)).toEqual([
        false,
        ...Array(18).fill(true),
        false,
        false,
      ]),
    )
    expect(service.warnings()).toEqual([expect.stringMatching(/^too many connections/i)])
  })

  describe('serves a key holder on a new connection when all are held by a client that', () => {
    test.each(Object.entries(slow))('%s', async (_kind, act) => {
      const { port, keyed, bearer } = await started(start, { maxConnections: 8 })
      for (let count = 0; count < 24; count += 1) {
        const socket = await openStubborn(port)
        socket.resume()
        act(socket)
      }
      for (let count = 0; count < 3; count += 1)
        expect(statusOf(await exchange(port, lastOf(keyed, bearer)))).toBe(200)
    })
  })
})
