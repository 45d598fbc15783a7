/** Requests that are followed by other bytes on the same connection. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { openAuthenticated } from '../../contract/chat-client.ts'
import { suiteKey } from '../../contract/server-under-test.ts'
import { eventually } from '../../wait.ts'
import { nodeServer } from './node-server.ts'
import { clientFrame, everything, handshakeText, openSocket } from './raw-socket.ts'

const write = (...headers: string[]) =>
  `${['POST /rendering?fps=7 HTTP/1.1', 'Host: localhost', `Authorization: Bearer ${suiteKey}`, ...headers].join('\r\n')}\r\n\r\n`

async function server() {
  const node = await nodeServer()
  onTestFinished(() => node.stop())
  return node
}
const statuses = (answers: string) =>
  Array.from(answers.matchAll(/HTTP\/1\.1 (\d{3}) /g), ([, status]) => Number(status))

describe('a write is answered, whatever bytes follow it on its connection, and then the connection ends', () => {
  test.each([
    ['a broken chunk of its own body', `${write('Transfer-Encoding: chunked')}zz\r\n`, [200]],
    ['a broken chunk behind a good one', `${write('Transfer-Encoding: chunked')}1\r\nx\r\nzz\r\n`, [200]],
    ['more behind Connection: close', `${write('Connection: close')}GET /health HTTP/1.1\r\n`, [200]],
    ['no HTTP', `${write()}hello there\r\n\r\n`, [200, 400]],
    ['a body longer than announced', `${write('Content-Length: 1')}xhello there\r\n\r\n`, [200, 400]],
    ['a method that is none', `${write()}BREW / HTTP/1.1\r\nHost: x\r\n\r\n`, [200, 400]],
    ['a header without a colon', `${write()}GET /health HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n`, [200, 400]],
    ['no Host', `${write()}GET /health HTTP/1.1\r\n\r\n`, [200, 400]],
    ['headers too large', `${write()}GET /health HTTP/1.1\r\nX: ${'y'.repeat(70_000)}`, [200, 431]],
    ['CONNECT', `${write()}CONNECT evil.example:443 HTTP/1.1\r\nHost: x\r\n\r\n`, [200, 400]],
    [
      'a handshake and frames',
      `${write()}${handshakeText('/ws')}${clientFrame(1, '{}').toString('latin1')}`,
      [200, 426],
    ],
  ])('%s', async (_what, bytes, expected) => {
    const node = await server()
    await node.farm.freeze()
    const socket = await openSocket(node.port)
    const answers = everything(socket)
    socket.write(bytes, 'latin1')
    await eventually(() => expect(node.bridge.health().pendingActions).toBe(1))
    await node.farm.thaw()
    expect(statuses(await answers)).toEqual(expected)
    expect(socket.closed).toBe(true)
    expect(node.farm.writes()).toBe(1)
  })

  test('a request that follows one that ends the connection is not carried out', async () => {
    const node = await server()
    const socket = await openSocket(node.port)
    const answers = everything(socket)
    socket.write(`GET /health HTTP/1.1\r\n\r\n${write()}`)
    expect(statuses(await answers)).toEqual([400])
    expect(socket.closed).toBe(true)
    expect(node.farm.writes()).toBe(0)
  })

  test('a body that breaks off while it is read is 400, and nothing is changed', async () => {
    const node = await server()
    const socket = await openSocket(node.port)
    const answers = everything(socket)
    socket.write(
      `${write('Transfer-Encoding: chunked').replace('/rendering?fps=7', '/newgame')}1\r\n{\r\nzz\r\n`,
    )
    expect(statuses(await answers)).toEqual([400])
    expect(node.farm.writes()).toBe(0)
  })
})

describe('a handshake that follows a request on the same connection', () => {
  test('is refused while that request is unanswered: no answer is written among frames, and the connection ends', async () => {
    const node = await server()
    await node.farm.freeze()
    const socket = await openSocket(node.port)
    const answers = everything(socket)
    socket.write(
      `${write()}${handshakeText('/ws')}GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    )
    await eventually(() => expect(node.bridge.health().pendingActions).toBe(1))
    await node.farm.thaw()
    expect(statuses(await answers)).toEqual([200, 426])
    expect(socket.closed).toBe(true)
    await openAuthenticated(node)
  })

  test('is accepted once that request is answered', async () => {
    const node = await server()
    const socket = await openSocket(node.port)
    let received = ''
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1')
    })
    socket.write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n')
    await eventually(() => expect(received).toContain('"status":"ok"'))
    socket.write(handshakeText('/ws'))
    await eventually(() => expect(statuses(received)).toEqual([200, 101]))
  })
})
