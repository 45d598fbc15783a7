/** Frames that are too many or too large. Their shapes are in test/attack/frames/. */
import { expect, test } from 'vitest'
import { openAuthenticated } from '../../contract/chat-client.ts'
import { ownServer } from '../../contract/shared-server.ts'
import { type NodeServer, nodeServer } from './node-server.ts'
import { rawClient } from './raw-client.ts'
import { clientFrame } from './raw-socket.ts'

const server = () => ownServer(nodeServer) as Promise<NodeServer>

test('a frame of 100 MB closes 1009 before its payload is sent, and is not buffered', async () => {
  const before = process.memoryUsage().arrayBuffers
  const { socket, closeCode } = await rawClient(await server())
  socket.write(clientFrame(1, 'x'.repeat(1000), { length: 100 * 1024 * 1024 }))
  expect(await closeCode()).toBe(1009)
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10 * 1024 * 1024)
  const megabyte = Buffer.alloc(1024 * 1024)
  for (let sent = 0; sent < 100 && socket.writable; sent += 1)
    await new Promise((resolve) => socket.write(megabyte, resolve))
  expect(await closeCode()).toBe(1009)
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
