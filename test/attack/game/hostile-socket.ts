/** A game server whose `/ws` sends handmade bytes. Everything else is forwarded to a correct game. */

import { createHash } from 'node:crypto'
import { connect, createServer, type Socket } from 'node:net'
import { listening } from '../../listening.ts'

/**
 * What it does with a connection after a handshake. @param accepted the head of the answer that a client must accept,
 * with the empty line at its end @param attempt 0 for the first handshake
 */
export type Breach = (socket: Socket, accepted: string, attempt: number) => void

export interface HostileGame {
  readonly url: string
  /** The correct game. */
  gamePort: number
  /** Undefined: `/ws` is forwarded too. */
  breach: Breach | undefined
  readonly handshakes: number
  /** Connections with a handshake that the other side still holds. */
  held(): number
  /** The most bytes that the system accepted for one such connection. */
  sent(): number
  close(): void
}

/** RFC 6455 section 4.2.2. */
const acceptedKey = (key: string) =>
  createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')

const headOf = (key: string) =>
  ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade']
    .concat(`Sec-WebSocket-Accept: ${acceptedKey(key)}`, '', '')
    .join('\r\n')

export async function startHostileGame(): Promise<HostileGame> {
  const attacked = new Set<Socket>()
  const open = new Set<Socket>()
  let handshakes = 0
  let sent = 0

  const passOn = (socket: Socket, first: Buffer) => {
    const game = connect(hostile.gamePort, '127.0.0.1')
    game.on('error', () => socket.destroy())
    socket.on('close', () => game.destroy())
    game.write(first)
    socket.pipe(game).pipe(socket)
  }
  const attack = (socket: Socket, first: string, breach: Breach) => {
    attacked.add(socket)
    for (const event of ['end', 'error', 'close'])
      socket.on(event, () => {
        sent = Math.max(sent, socket.bytesWritten - socket.writableLength)
        attacked.delete(socket)
      })
    const [, key = ''] = /^sec-websocket-key: (.*)\r$/im.exec(first) ?? []
    breach(socket, headOf(key), handshakes)
    handshakes += 1
  }
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket)).on('error', () => socket.destroy())
    socket.once('data', (first) => {
      const { breach } = hostile
      if (breach !== undefined && first.subarray(0, 8).equals(Buffer.from('GET /ws ')))
        attack(socket, first.toString('latin1'), breach)
      else passOn(socket, first)
    })
  })
  const port = await listening(server)
  const hostile: HostileGame = {
    url: `http://127.0.0.1:${port}`,
    gamePort: 0,
    breach: undefined,
    get handshakes() {
      return handshakes
    },
    held: () => attacked.size,
    sent: () => sent,
    close() {
      server.close()
      for (const socket of open) socket.destroy()
    },
  }
  return hostile
}

/** Sends the same bytes endlessly, as fast as the peer reads them. */
export function flood(socket: Socket, bytes: Buffer | string): void {
  const chunk = Buffer.from(bytes)
  const more = () => {
    while (socket.writable && socket.write(chunk));
  }
  socket.on('drain', more)
  more()
}

/** Sends single bytes endlessly, each in a separate packet. */
export function drip(socket: Socket, bytes: Buffer | string): void {
  const all = Buffer.from(bytes)
  let at = 0
  const dripping = setInterval(() => {
    if (!socket.writable) return clearInterval(dripping)
    socket.write(all.subarray(at % all.length, (at % all.length) + 1))
    at += 1
  }, 5)
  socket.on('close', () => clearInterval(dripping))
}
