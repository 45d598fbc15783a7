/** Hostile receivers: how much farmgate reads from them, and for how long. */
import { createServer as createTlsServer } from 'node:https'
import { createServer, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { poster } from '../../../services/webhooks/post.ts'
import { receiverAddress } from '../../../services/webhooks/receiver-address.ts'
import { certificate } from '../../certificate.ts'
import { portOf } from '../../port-of.ts'
import { aReceiver } from './a-receiver.ts'

const message = { headers: { 'Content-Type': 'application/json' }, body: '{}' }

function posting(timeout: number, stopping = new AbortController().signal) {
  const address = receiverAddress(async () => [], ['127.0.0.1'])
  return poster({ address, timeout, stopping, now: Date.now })
}

/** A server that controls a connection freely, once it has received something. @returns its URL */
async function rawReceiver(
  heard: (socket: Socket) => void,
): Promise<{ url: string; ended: Promise<unknown> }> {
  const { promise: ended, resolve } = Promise.withResolvers()
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.on('close', resolve)
    socket.once('data', () => heard(socket))
  })
  return { url: `http://127.0.0.1:${await portOf(server)}/`, ended }
}

test.each([
  ['never answers', '', ''],
  ['drips its answer', 'HTTP/1.1 200 OK\r\nA: ', 'a'],
  ['drips the body of a 429', 'HTTP/1.1 429 Slow\r\nContent-Length: 4000\r\n\r\n', ' '],
  ['endlessly sends interim answers', '', 'HTTP/1.1 102 Processing\r\n\r\n'],
])('one that %s is dropped at the time limit of an attempt', async (_what, first, again) => {
  const { url, ended } = await rawReceiver((socket) => {
    socket.write(first)
    const drip = setInterval(() => socket.write(again), 5)
    socket.on('close', () => clearInterval(drip))
  })
  expect(await posting(100)(url, message)).toEqual({ error: 'timeout' })
  await ended
})

test.each([
  [200, { status: 200 }],
  [429, { status: 429, error: 'status' }],
  [500, { status: 500, error: 'status' }],
])('one that answers %i with 1 GB is read for a few KiB, and its connection is ended', async (code, end) => {
  let written = 0
  const { url, ended } = await rawReceiver((socket) => {
    socket.write(`HTTP/1.1 ${code} X\r\nContent-Length: 1073741824\r\n\r\n`)
    const more = () => {
      while (!socket.destroyed && socket.write(Buffer.alloc(65_536))) written += 65_536
    }
    socket.on('drain', more)
    more()
  })
  expect(await posting(60_000)(url, message)).toEqual(end)
  await ended
  // As much as the system buffers.
  expect(written).toBeLessThan(64 * 1024 * 1024)
})

test('one that answers and never closes is done with its answer', async () => {
  const { url, ended } = await rawReceiver((socket) => socket.write('HTTP/1.1 200 OK\r\n\r\n'))
  expect(await posting(60_000)(url, message)).toEqual({ status: 200 })
  await ended
})

test.each([
  ['to another protocol', '101 Switching Protocols\r\nUpgrade: farm\r\nConnection: Upgrade'],
  ['to no protocol', '101 Switching Protocols'],
])(
  'a receiver that switches %s fails its attempt at once, and its connection is closed',
  async (_to, head) => {
    const { url, ended } = await rawReceiver((socket) => socket.write(`HTTP/1.1 ${head}\r\n\r\n`))
    expect(await posting(60_000)(url, message)).toEqual({ error: 'status', status: 101 })
    await ended
  },
)

test.each([
  ['closes at once', (socket: Socket) => void socket.destroy()],
  ['speaks no HTTP', (socket: Socket) => void socket.end('220 smtp.example ESMTP\r\n')],
  [
    'has endless headers',
    (socket: Socket) => void socket.write(`HTTP/1.1 200 OK\r\nA: ${'a'.repeat(100_000)}`),
  ],
])('one that %s counts as no connection', async (_what, heard) => {
  const { url } = await rawReceiver(heard)
  expect(await posting(60_000)(url, message)).toEqual({ error: 'no_connection' })
})

test('one with a self-signed certificate counts as no connection: nothing is sent to it', async () => {
  let requests = 0
  const server = createTlsServer(await certificate(), (_request, response) => {
    requests += 1
    response.end()
  })
  const port = await portOf(server)
  expect(await posting(60_000)(`https://127.0.0.1:${port}/`, message)).toEqual({ error: 'no_connection' })
  expect(requests).toBe(0)
})

test('one that does not exist counts as no connection', async () => {
  const { url } = await aReceiver()
  expect(await posting(60_000)(url.replace(/:\d+/, ':1'), message)).toEqual({ error: 'no_connection' })
})

test('a pending attempt ends when the process stops', async () => {
  const stopping = new AbortController()
  const { url, ended } = await rawReceiver(() => stopping.abort())
  await posting(60_000, stopping.signal)(url, message)
  await ended
})
