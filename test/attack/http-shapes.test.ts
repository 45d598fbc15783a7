/** Shapes of HTTP requests that no client library sends, each with its statuses and the end of its connection. */
import { connect } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { statusesOf } from '../raw-bytes.ts'
import { type NodeServer, nodeServer } from '../runtime/node/node-server.ts'
import { everything, exchange, openSocket } from '../runtime/node/raw-socket.ts'
import { eventually } from '../wait.ts'
import { codingShapes, lengthShapes } from './http/bodies.ts'
import { leavers, pipelinedShapes, upgradeShapes } from './http/connections.ts'
import { headerShapes, lineShapes } from './http/heads.ts'
import { get } from './http/shape.ts'

let server: NodeServer
beforeAll(async () => {
  server = await nodeServer()
})
afterAll(() => server.stop())
beforeEach(async () => void (await server.bridge.setRendering(0)))

const last = get('/health', 'Connection: close')

/** After every shape the server answers, has logged no bug, and has not carried out a write that it must not. */
afterEach(async () => {
  expect(statusesOf(await exchange(server.port, last))).toEqual([200])
  expect(await server.bridge.rendering()).not.toBe(66)
  expect(server.log.filter(({ level }) => level === 'error')).toEqual([])
})

/** Sends bytes, and one more request when as many answers have come as are expected. @returns all statuses */
async function statusesAfter(bytes: string, answers: number): Promise<readonly number[]> {
  const socket = await openSocket(server.port)
  const ended = everything(socket, 60_000)
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1')
  })
  socket.write(Buffer.from(bytes, 'latin1'))
  await eventually(() => statusesOf(received).length >= answers || socket.closed)
  if (socket.writable) socket.write(last)
  return statusesOf(await ended)
}

describe.each([
  ['a request with', lengthShapes],
  ['a request with', codingShapes],
  ['a request line:', lineShapes],
  ['a header:', headerShapes],
  ['one connection:', pipelinedShapes],
  ['an upgrade', upgradeShapes],
])('%s', (_what, shapes) => {
  test.each(shapes)('%s', async (_shape, bytes, statuses, then) => {
    const expected = then === 'stays' ? [...statuses, 200] : statuses
    expect(await statusesAfter(bytes, statuses.length)).toEqual(expected)
  })
})

describe.each(['end', 'resetAndDestroy'] as const)('a client that leaves by %s', (way) => {
  test.each(leavers)('%s', async (_what, bytes, possible) => {
    const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true })
    socket.on('error', () => undefined)
    const received = everything(socket, 60_000)
    socket.write(Buffer.from(bytes, 'latin1'), () => socket[way]())
    expect(possible).toContainEqual(statusesOf(await received))
  })
})
