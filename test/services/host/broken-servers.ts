/** Servers instead of a host's API that are unreachable, hang or send wrong answers. */
import type { Socket } from 'node:net'
import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { GameHost } from '../../../handlers/game-host.ts'
import { portOf, unusedPort } from '../../port-of.ts'
import { failureOf } from './drivers.ts'

const ok = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n'
const withBody = (body: string) => `${ok}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

/** Repeats the same piece until the other end closes. */
function endless(socket: Socket, begin: string, piece: string): void {
  socket.write(begin)
  const more = () => {
    while (socket.writable && socket.write(piece));
  }
  socket.on('drain', more)
  more()
}

const servers: Readonly<Record<string, (socket: Socket) => void>> = {
  'accepts and never answers': () => undefined,
  'closes each connection': (socket) => socket.destroy(),
  'does not speak HTTP': (socket) => socket.end('220 mail.example ESMTP\r\n'),
  'begins an answer and never ends it': (socket) => socket.write(`${ok}Content-Length: 100\r\n\r\n{`),
  'closes within an answer': (socket) => socket.end(`${ok}Content-Length: 100\r\n\r\n{`),
  'sends an endless body': (socket) => endless(socket, `${ok}\r\n`, ' '.repeat(65_536)),
  'sends endless headers': (socket) => endless(socket, ok, `X: ${'x'.repeat(1000)}\r\n`),
  'sends no JSON': (socket) => socket.end(withBody('<html>')),
  'sends other JSON': (socket) => socket.end(withBody('{"data":[1]}')),
  'sends JSON that is nested too deep': (socket) => socket.end(withBody('['.repeat(500_000))),
  'redirects to itself': (socket) =>
    socket.end('HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n'),
  'switches to another protocol': (socket) =>
    socket.write('HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n'),
  'refuses with control characters': (socket) =>
    socket.end(
      withBody('{"message":"\\u001b[2Jno","errors":[{"detail":"\\u001b[2Jno"}]}').replace('200 OK', '500 No'),
    ),
}

/** Tests that every call fails as it must, in bounded time. @param open makes a driver for a server at a port */
export function survivesBrokenServers(open: (port: number) => GameHost): void {
  const opened = (port: number) => {
    const host = open(port)
    onTestFinished(() => host.close())
    return host
  }

  test('an unreachable host is host_unavailable for every call', async () => {
    const host = opened(await unusedPort())
    const calls = [host.inspect(), host.start(), host.stop(1), host.log(10), host.type('help')]
    expect(await Promise.all(calls.map(failureOf))).toEqual(calls.map(() => 'host_unavailable'))
  })

  test.each(Object.entries(servers))(
    'a host that %s is host_unavailable within seconds',
    async (_, answer) => {
      const server = createServer((socket) => {
        socket.on('error', () => undefined)
        socket.once('data', () => answer(socket))
      })
      const host = opened(await portOf(server))
      const unfollow = host.follow(() => undefined)
      for (const ended of await Promise.allSettled([host.inspect(), host.type('help')]))
        expect(ended).toMatchObject({
          status: 'rejected',
          reason: { failure: { kind: 'host_unavailable', sentence: expect.stringMatching(/^\P{Cc}*$/u) } },
        })
      unfollow()
    },
  )
}
