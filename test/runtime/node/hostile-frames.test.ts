/** Frames that no client library sends. */
import { describe, expect, test } from 'vitest'
import { openAuthenticated } from '../../contract/chat-client.ts'
import { ownServer } from '../../contract/shared-server.ts'
import { eventually } from '../../wait.ts'
import { type NodeServer, nodeServer } from './node-server.ts'
import { rawClient } from './raw-client.ts'
import { clientFrame, everything, handshakeText, openSocket } from './raw-socket.ts'

const server = () => ownServer(nodeServer) as Promise<NodeServer>
const heapAfter = async (work: () => Promise<void>) => {
  const before = process.memoryUsage().arrayBuffers
  await work()
  return process.memoryUsage().arrayBuffers - before
}

describe('frames', () => {
  test('a frame that announces 100 MB closes 1009 before its payload is sent', async () => {
    const node = await server()
    const grown = await heapAfter(async () => {
      const { socket, closeCode } = await rawClient(node)
      socket.write(clientFrame(1, 'x'.repeat(1000), { length: 100 * 1024 * 1024 }))
      expect(await closeCode()).toBe(1009)
    })
    expect(grown).toBeLessThan(10 * 1024 * 1024)
  })

  test('a frame of 100 MB whose payload is sent closes 1009 and is not buffered', async () => {
    const node = await server()
    const { socket, closeCode } = await rawClient(node)
    socket.write(clientFrame(1, '', { length: 100 * 1024 * 1024 }))
    const megabyte = Buffer.alloc(1024 * 1024)
    for (let sent = 0; sent < 100 && socket.writable; sent += 1)
      await new Promise((resolve) => socket.write(megabyte, resolve))
    expect(await closeCode()).toBe(1009)
  })

  test('thousands of fragments close the connection', async () => {
    const node = await server()
    const { socket, closeCode } = await rawClient(node)
    socket.write(clientFrame(1, 'x', { fin: false }))
    for (let part = 0; part < 5000 && socket.writable; part += 1)
      socket.write(clientFrame(0, 'x', { fin: false }))
    expect([1008, 1009]).toContain(await closeCode())
  })

  test('thousands of empty fragments have no effect', async () => {
    const node = await server()
    const { socket, text } = await rawClient(node)
    socket.write(clientFrame(1, '', { fin: false }))
    for (let part = 0; part < 5000; part += 1) socket.write(clientFrame(0, '', { fin: false }))
    socket.write(clientFrame(0, '{"type":"ping"}'))
    await eventually(() => expect(text()).toContain('{"type":"pong"}'))
  })

  test('a message that is sent one byte at a time is one message', async () => {
    const node = await server()
    const { socket, text } = await rawClient(node)
    for (const byte of clientFrame(1, '{"type":"ping"}')) {
      socket.write(Buffer.from([byte]))
      await new Promise((resolve) => setImmediate(resolve))
    }
    await eventually(() => expect(text()).toContain('{"type":"pong"}'))
  })

  test.each([
    ['an unmasked frame', Buffer.from([0x81, 0x01, 0x78]), 1002],
    ['a reserved opcode', Buffer.from([0x83, 0x80, 0, 0, 0, 0]), 1002],
    ['a reserved bit', Buffer.from([0xc1, 0x80, 0, 0, 0, 0]), 1002],
    ['a continuation of nothing', clientFrame(0, 'x'), 1002],
    ['a fragmented ping', clientFrame(9, 'x', { fin: false }), 1002],
    ['a ping of 126 bytes', clientFrame(9, 'x'.repeat(126)), 1002],
    ['a length beyond 2^53', clientFrame(1, '', { length: 2 ** 60 }), 1009],
    ['a close of one byte', clientFrame(8, 'x'), 1002],
    ['a close with a forbidden code', clientFrame(8, Buffer.from([0x03, 0xed])), 1002],
    ['a close with invalid UTF-8', clientFrame(8, Buffer.from([0x03, 0xe8, 0xff])), 1007],
  ])('%s closes the connection', async (_what, frame, code) => {
    const node = await server()
    const { socket, closeCode } = await rawClient(node)
    socket.write(frame)
    expect(await closeCode()).toBe(code)
    expect(node.log.filter(({ level }) => level === 'error')).toEqual([])
  })

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

  test('pings before auth close 1008', async () => {
    const node = await server()
    const socket = await openSocket(node.port)
    const received = everything(socket)
    socket.write(handshakeText('/ws'))
    for (let sent = 0; sent < 6; sent += 1) socket.write(clientFrame(9, 'x'))
    expect(await received).toContain('Authenticate first')
  })
})
