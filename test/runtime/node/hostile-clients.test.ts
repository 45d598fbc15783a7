/** WebSocket clients that break the limits of `/ws` or do not read. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { getDefaultHighWaterMark } from 'node:stream'
import { describe, expect, test, vi } from 'vitest'
import { maxUpload } from '../../../handlers/saves.ts'
import type { ServerOptions } from '../../../runtime/node/server.ts'
import { openAuthenticated, openChat, refusedHandshake } from '../../contract/chat-client.ts'
import { askWithKey, expectProblem } from '../../contract/request.ts'
import { ownServer } from '../../contract/shared-server.ts'
import { eventually } from '../../wait.ts'
import { type NodeServer, nodeServer } from './node-server.ts'
import { rawClient } from './raw-client.ts'
import { acceptedSockets, clientFrame } from './raw-socket.ts'

const server = () => ownServer(nodeServer) as Promise<NodeServer>
const behindProxy = () => nodeServerOf({ trustProxy: 1 })
const nodeServerOf = (given: Partial<ServerOptions>) =>
  ownServer((options) => nodeServer({ ...options, server: given })) as Promise<NodeServer>

describe('clients', () => {
  test('behind a trusted proxy each caller has 20 clients that have yet to authenticate, an IPv6 /64 as one', async () => {
    const node = await behindProxy()
    const from = (address: string) => ({ headers: { 'X-Forwarded-For': address } })
    const places = Array.from({ length: 20 }, (_, at) => openChat(node, from(`2001:db8:1:2::${at + 1}`)))
    await Promise.all(places)
    const { status, json } = await refusedHandshake(node.wsUrl, from('2001:db8:1:2:3::'))
    expect([status, json]).toEqual([429, expect.objectContaining({ code: 'rate_limited' })])
    for (const other of ['2001:db8:1:3::1', '192.0.2.1']) await openChat(node, from(other))
  })

  test('all kept lines together fit the send limit of a client, whatever the size of each line', async () => {
    const node = await server()
    await node.farm.join({ id: 78n, name: 'Loud' })
    const witness = await openAuthenticated(node)
    for (let said = 0; said < 40; said += 1) await node.farm.say(78n, 'x'.repeat(100_000))
    await eventually(() => expect(witness.messages('chat')).toHaveLength(40))
    const resumed = await openAuthenticated(node, { since: 0 })
    await resumed.settled()
    expect(resumed.messages().map(({ type }) => type)).toEqual([
      'auth_success',
      'gap',
      ...Array(7).fill('chat'),
      'pong',
    ])
    expect(resumed.texts.slice(2, 9)).toEqual(witness.texts.slice(-7))
  })

  test('sockets that try wrong keys in a row leave nothing in memory', async () => {
    const node = await ownServer((options) =>
      nodeServer({ ...options, maxClients: 1, rates: { failedKeys: 10 } }),
    )
    for (let tries = 0; tries < 100; tries += 1)
      await eventually(async () => {
        const client = await openChat(node)
        client.send({ type: 'auth', payload: { token: 'wrong' } })
        expect((await client.closed).code).toBe(1008)
      })
    await openAuthenticated(node)
  })

  test('unauthenticated sockets cost under 64 KiB each', async () => {
    const node = await behindProxy()
    globalThis.gc?.()
    const { heapUsed, external } = process.memoryUsage()
    const from = (at: number) => ({ headers: { 'X-Forwarded-For': `192.0.2.${at % 250}` } })
    const clients = await Promise.all(Array.from({ length: 300 }, (_, at) => openChat(node, from(at))))
    globalThis.gc?.()
    const after = process.memoryUsage()
    // The clients' own halves are in the same process, and counted too.
    expect((after.heapUsed + after.external - heapUsed - external) / clients.length).toBeLessThan(
      2 * 64 * 1024,
    )
  })

  test('an upload of more than 256 MiB is 413 at its last byte, little of it is ever in memory, and none is kept', async () => {
    const node = await server()
    node.saved.save()
    const start = process.memoryUsage.rss()
    const piece = new Uint8Array(256 * 1024)
    let [left, most] = [maxUpload + 1, 0]
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        most = Math.max(most, process.memoryUsage.rss() - start)
        if (left === 0) return controller.close()
        controller.enqueue(piece.subarray(0, left))
        left -= Math.min(left, piece.length)
      },
    })
    const headers = { 'Content-Type': 'application/zip' }
    expectProblem(await askWithKey(node, 'POST', '/saves', { headers, body }), 413, 'payload_too_large')
    expect([left, most < maxUpload / 2]).toEqual([0, true])
    expect(readdirSync(join(node.saved.folder, '..', 'uploads'))).toEqual([])
  })

  test('a client that reads nothing for 10 s is closed 1013, and the others are not delayed', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setInterval'] })
    try {
      const queued = queuedBytes()
      const node = await server()
      const stalled = await openAuthenticated(node)
      const other = await openAuthenticated(node)
      stalled.ws.pause()
      await node.farm.join({ id: 71n, name: 'Loud' })
      const line = 'x'.repeat(60_000)
      let said = 0
      const slow = async () => (await askWithKey(node, 'GET', '/metrics')).text
      // Fills the kernel's buffer, but stays within the limit of the queue.
      while (queued() < writeBuffer && said < 2_000) {
        await node.farm.say(71n, line)
        said += 1
        await eventually(() => expect(other.messages('chat').length).toBe(said))
      }
      expect(queued()).toBeGreaterThanOrEqual(writeBuffer)
      await node.farm.say(71n, 'while it is stalled')
      await eventually(() => expect(other.texts.at(-1)).toContain('while it is stalled'))
      vi.advanceTimersByTime(9_000)
      expect(await slow()).toContain('farmgate_ws_closed_slow_total 0')
      vi.advanceTimersByTime(2_000)
      expect(await slow()).toContain('farmgate_ws_closed_slow_total 1')
      await node.farm.say(71n, 'after it is closed')
      await eventually(() => expect(other.texts.at(-1)).toContain('after it is closed'))
      stalled.ws.resume()
      expect((await stalled.closed).code).toBe(1013)
      expect(stalled.texts.join()).not.toContain('after it is closed')
    } finally {
      vi.useRealTimers()
    }
  })

  test('a client that falls more than 1 MiB behind is closed 1013 at once', async () => {
    const node = await server()
    const stalled = await openAuthenticated(node)
    const other = await openAuthenticated(node)
    stalled.ws.pause()
    await node.farm.join({ id: 72n, name: 'Loud' })
    for (let said = 0; said < 300; said += 1) {
      await node.farm.say(72n, 'x'.repeat(60_000))
      if (said % 10 === 9) await eventually(() => expect(other.texts.length).toBe(said + 2))
    }
    await eventually(async () =>
      expect((await askWithKey(node, 'GET', '/metrics')).text).toContain('farmgate_ws_closed_slow_total 1'),
    )
    stalled.ws.resume()
    expect((await stalled.closed).code).toBe(1013)
  })

  test('a client that keeps sending malformed messages is closed 1008, then disconnected, and delays no other client', async () => {
    const accepted = acceptedSockets()
    const node = await server()
    const { socket, closeCode } = await rawClient(node)
    const malformed = Buffer.concat(
      Array.from({ length: 10_000 }, () => clientFrame(1, '{"type":"nothing"}')),
    )
    const other = await openAuthenticated(node)
    socket.write(malformed)
    expect(await closeCode()).toBe(1008)
    for (let sent = 0; sent < 20 && socket.writable; sent += 1) {
      socket.write(malformed)
      await other.settled()
    }
    await eventually(() => expect(accepted[0]?.destroyed).toBe(true))
    // The rest of one read of the socket might still be parsed; nothing after it.
    expect(accepted[0]?.bytesRead).toBeLessThan(2 * 1024 * 1024)
    await other.settled()
  })

  test('a client that repeatedly requests all missed lines and never reads is sent them twice and closed', async () => {
    const node = await server()
    await node.farm.join({ id: 74n, name: 'Loud' })
    for (let said = 0; said < 70; said += 1) await node.farm.say(74n, 'x'.repeat(10_000))
    const { socket, text, closeCode } = await rawClient(node)
    const other = await openAuthenticated(node)
    socket.pause()
    const since = clientFrame(1, JSON.stringify({ type: 'auth', payload: { token: node.key, since: 0 } }))
    socket.write(Buffer.concat(Array<Buffer>(40).fill(since)))
    await other.settled()
    socket.resume()
    expect(await closeCode()).toBe(1008)
    expect(text().length).toBeLessThan(3 * 700_000)
  })

  test('a client that subscribes while its socket is full is sent no event older than its snapshot', async () => {
    const queued = queuedBytes()
    const node = await server()
    const stalled = await openAuthenticated(node)
    const other = await openAuthenticated(node)
    const follow = { type: 'subscribe', payload: { topics: ['players'] } }
    stalled.send(follow)
    await stalled.take('snapshot')
    stalled.ws.pause()
    await node.farm.join({ id: 75n, name: 'Loud' })
    for (let said = 0; queued() < writeBuffer && said < 2_000; said += 1) {
      await node.farm.say(75n, 'x'.repeat(60_000))
      await eventually(() => expect(other.messages('chat').length).toBe(said + 1))
    }
    expect(queued()).toBeGreaterThanOrEqual(writeBuffer)
    await node.farm.join({ id: 76n, name: 'Older than the snapshot' })
    const before = queued()
    stalled.send(follow)
    await eventually(() => expect(queued()).toBeGreaterThan(before))
    await node.farm.join({ id: 77n, name: 'Newer than the snapshot' })
    stalled.ws.resume()
    await eventually(() => expect(stalled.texts.at(-1)).toContain('Newer than the snapshot'))
    const snapshot = stalled.texts.findLastIndex((text) => text.includes('"snapshot"'))
    expect(stalled.texts[snapshot]).toContain('Older than the snapshot')
    const after = stalled.texts.slice(snapshot + 1).filter((text) => text.includes('"event"'))
    expect(after).toEqual([expect.stringContaining('Newer than the snapshot')])
  })

  test('a protocol ping is sent every 30 s, and a silent peer is closed after two missed ones', async () => {
    vi.useFakeTimers({ toFake: ['setInterval'] })
    try {
      const node = await server()
      const silent = await openChat(node, { autoPong: false })
      const polite = await openAuthenticated(node)
      silent.send({ type: 'auth', payload: { token: node.key } })
      await silent.take('auth_success')
      let pings = 0
      silent.ws.on('ping', () => {
        pings += 1
      })
      for (const expected of [1, 2]) {
        vi.advanceTimersByTime(30_000)
        await eventually(() => expect(pings).toBe(expected))
        await polite.settled()
      }
      vi.advanceTimersByTime(30_000)
      expect((await silent.closed).code).toBe(1006)
      await polite.settled()
    } finally {
      vi.useRealTimers()
    }
  })

  test('when the server stops, sockets are closed 1001 after their queued messages are sent', async () => {
    const node = await nodeServer()
    const client = await openAuthenticated(node)
    await node.farm.join({ id: 73n, name: 'Last' })
    await node.farm.say(73n, 'famous last words')
    const stopped = node.shutDown(4_000)
    expect(await client.closed).toMatchObject({ code: 1001 })
    expect(client.texts.at(-1)).toContain('famous last words')
    await stopped
    await node.bridge.close()
  })
})

/** The number of waiting bytes from which Node reports that a socket needs draining. */
const writeBuffer = getDefaultHighWaterMark(false)

/** Bytes in this process for a peer that does not read. */
function queuedBytes(): () => number {
  const sockets = acceptedSockets()
  return () => Math.max(0, ...sockets.map(({ writableLength }) => writableLength))
}

test.each([
  ['pings', 9],
  ['pongs', 10],
])('thousands of %s close 1008 and delay no other client', async (_what, opcode) => {
  const node = await server()
  const { socket, closeCode } = await rawClient(node)
  const other = await openAuthenticated(node)
  for (let sent = 0; sent < 5000; sent += 1) socket.write(clientFrame(opcode, 'x'))
  await other.settled()
  expect(await closeCode()).toBe(1008)
})
