/** The log during a flood (docs/security.md). */
import { describe, expect, test } from 'vitest'
import { askWithKey } from '../../contract/request.ts'
import { ownServer } from '../../contract/shared-server.ts'
import { asking, flood, request, server } from './flooding.ts'
import { type NodeServer, nodeServer } from './node-server.ts'
import { exchange, handshakeText, statusOf } from './raw-socket.ts'

describe('the log', () => {
  const requests = (node: NodeServer) => node.log.filter(({ level }) => level !== 'debug')

  test('has one line for an address whose requests are refused, and then their number', async () => {
    const node = await server()
    await flood(node)
    await flood(node, request('GET /nothing'))
    await flood(node, 'hello there\r\n\r\n')
    await flood(node, request('OPTIONS /players'))
    await askWithKey(node, 'GET', '/players')
    await node.shutDown(0)
    expect(requests(node)).toEqual([
      {
        level: 'info',
        message: 'request',
        fields: expect.objectContaining({ status: 401, path: '/players' }),
      },
      {
        level: 'warn',
        message: 'far too many requests of one address: closing its connections without the key',
        fields: { address: '127.0.0.1' },
      },
      {
        level: 'info',
        message: 'request',
        fields: expect.objectContaining({ status: 200, path: '/players' }),
      },
      {
        level: 'info',
        message: 'more requests of this address were refused in the last minute',
        fields: { address: '127.0.0.1', requests: expect.any(Number) },
      },
      {
        level: 'warn',
        message: 'far too many requests of one address: closing its connections without the key',
        fields: { address: '127.0.0.1', connections: expect.any(Number) },
      },
    ])
  })

  test('has every refused request of a key holder', async () => {
    const node = await server()
    for (let count = 0; count < 3; count += 1) await askWithKey(node, 'POST', '/rendering?fps=none')
    expect(requests(node).map(({ fields }) => fields)).toEqual(
      Array(3).fill(expect.objectContaining({ status: 400, path: '/rendering' })),
    )
  })

  test('says once a minute that too many chat clients of one address have yet to authenticate', async () => {
    const node = (await ownServer(nodeServer)) as NodeServer
    const handshakes = await Promise.all(Array.from({ length: 20 }, () => asking(node.port)))
    for (const { ask } of handshakes) expect(await ask(handshakeText('/ws'))).toBe(101)
    for (let count = 0; count < 5; count += 1)
      expect(statusOf(await exchange(node.port, handshakeText('/ws')))).toBe(429)
    const message = 'too many WebSocket clients of one address have yet to authenticate: refusing more'
    const reported = () => node.log.filter((line) => line.message === message)
    expect(reported()).toEqual([{ level: 'warn', message, fields: { address: '127.0.0.1', limit: 20 } }])
    await node.shutDown(0)
    expect(reported().slice(1)).toEqual([
      { level: 'warn', message, fields: { address: '127.0.0.1', handshakes: 4 } },
    ])
  })
})
