/** The limits of one connection (docs/security.md). */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { ChatRoom } from '../../../handlers/chat/room.ts'
import { eventually } from '../../wait.ts'
import { anonymous, asking, bearer, flood, request, server } from './flooding.ts'
import { clientFrame, handshakeText } from './raw-socket.ts'

describe('many requests on one connection', () => {
  test('are served one at a time, with those of other connections in between', async () => {
    const node = await server()
    const many = await asking(node.port)
    const other = await asking(node.port)
    const withKey = request('GET /players', bearer)
    const otherAnswered = new Promise((resolve) => other.socket.once('data', resolve))
    many.socket.write(withKey.repeat(100))
    other.socket.write(withKey)
    await otherAnswered
    expect(many.answers().length).toBeLessThan(100)
    await eventually(() => expect(many.answers()).toEqual(Array(100).fill(200)))
  })
})

describe('the parser', () => {
  test('stops at the end of a connection: bytes after its last request are not a request', async () => {
    const node = await server()
    let parsed = 0
    const started = () => {
      parsed += 1
    }
    subscribe('http.server.request.start', started)
    onTestFinished(() => void unsubscribe('http.server.request.start', started))
    await flood(node, anonymous.repeat(5), 1)
    expect(parsed).toBe(101)
    await flood(node, anonymous.repeat(5), 2)
    expect(parsed).toBeLessThan(250)
    parsed = 0
    await flood(node, anonymous.repeat(5), 3)
    expect(parsed).toBeLessThan(10)
  })

  test('of frames stops when a client is closed: bytes after its last frame are ignored', async () => {
    const heard = vi.spyOn(ChatRoom.prototype, 'heardPing')
    onTestFinished(() => heard.mockRestore())
    const node = await server()
    const { socket, ask, text } = await asking(node.port)
    expect(await ask(handshakeText('/ws'))).toBe(101)
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.write(Buffer.concat(Array.from({ length: 5000 }, () => clientFrame(9, 'x'))))
    await closed
    expect(text()).toContain('Authenticate first')
    expect(heard.mock.calls.length).toBeLessThan(10)
  })
})
