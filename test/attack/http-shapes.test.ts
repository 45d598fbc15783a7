/** Shapes of HTTP requests that no client library sends, each with its statuses and the end of its connection. */
import { connect } from 'node:net'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { answersIn, bodyOf, statusesOf, statusOf } from '../raw-bytes.ts'
import { everything, exchange, openSocket } from '../runtime/node/raw-socket.ts'
import { eventually } from '../wait.ts'
import { codingShapes, lengthShapes } from './http/bodies.ts'
import { leavers, pipelinedShapes } from './http/connections.ts'
import { headerShapes, lineShapes } from './http/heads.ts'
import { shapedServices } from './http/services.ts'
import { lines } from './http/shape.ts'

const last = lines('GET /health HTTP/1.1', 'Host: x', 'Connection: close')

/** Sends bytes, and one more request after the expected number of answers. @returns the received text */
async function answersAfter(port: number, bytes: string, count: number): Promise<string> {
  const socket = await openSocket(port)
  const ended = everything(socket, 60_000)
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1')
  })
  socket.write(Buffer.from(bytes, 'latin1'))
  await eventually(() => statusesOf(received).length >= count || socket.closed)
  if (socket.writable) socket.write(last)
  return ended
}

for (const [name, start] of shapedServices)
  describe(name, async () => {
    const service = await start()
    afterAll(() => service.stop())
    afterEach(async () => {
      expect(statusesOf(await exchange(service.port, last))).toEqual([200])
      await service.expectUnharmed()
    })
    const shapes = {
      'a length:': lengthShapes(service),
      'a coding:': codingShapes(service),
      'a request line:': lineShapes(service),
      'a header:': headerShapes(service),
      'one connection:': pipelinedShapes(service),
      ...service.ownShapes,
    }
    describe.each(Object.entries(shapes))('%s', (_what, ofKind) => {
      test.each(ofKind)('%s', async (_shape, bytes, statuses, then) => {
        const received = await answersAfter(service.port, bytes, statuses.length)
        expect(statusesOf(received)).toEqual(then === 'stays' ? [...statuses, 200] : statuses)
        for (const answer of answersIn(received)) service.expectWhole(answer)
        if (bytes.startsWith('HEAD')) return
        for (const problem of answersIn(received).filter((answer) => statusOf(answer) >= 400))
          expect(service.codes[statusOf(problem)]).toContain(JSON.parse(bodyOf(problem)).code)
      })
    })
    describe.each(['end', 'resetAndDestroy'] as const)('a client that leaves by %s', (way) => {
      test.each(leavers(service))('%s', async (_what, bytes, possible) => {
        const socket = connect({ port: service.port, host: '127.0.0.1', allowHalfOpen: true })
        socket.on('error', () => undefined)
        const received = everything(socket, 60_000)
        socket.write(Buffer.from(bytes, 'latin1'), () => socket[way]())
        expect(possible).toContainEqual(statusesOf(await received))
      })
    })
  })
