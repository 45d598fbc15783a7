/** Requests, handshakes and frames as bytes on a TCP socket, because client libraries do not send malformed ones. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A connection to the port, which ends with the test; errors of the socket are ignored, because tests cause them. */
export async function openSocket(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))
  return socket
}

/** A connection that never closes its own side, whatever the other end does. */
export async function openStubborn(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  socket.on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))
  return socket
}

/** What servers of this process accept from now on, until the test ends. */
export function acceptedSockets(): readonly Socket[] {
  const sockets: Socket[] = []
  const heard = (message: unknown) => {
    const { socket } = message as { readonly socket: Socket }
    sockets.push(socket)
  }
  subscribe('net.server.socket', heard)
  onTestFinished(() => void unsubscribe('net.server.socket', heard))
  return sockets
}

/** Sends bytes and reads until the server closes, at most `timeout` milliseconds. @returns what came, as latin-1 */
export async function exchange(port: number, bytes: string | Buffer, timeout = 5000): Promise<string> {
  const socket = await openSocket(port)
  const received = everything(socket, timeout)
  socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
  try {
    return await received
  } finally {
    socket.destroy()
  }
}

/** What comes until the server closes. */
export function everything(socket: Socket, timeout = 5000): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const done = () => {
      clearTimeout(timer)
      resolve(Buffer.concat(chunks).toString('latin1'))
    }
    const timer = setTimeout(done, timeout)
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('close', done)
  })
}

/** Lines of a request with `Connection: close`, as bytes of latin-1. */
export const requestText = (first: string, ...headers: readonly string[]): string =>
  `${[first, 'Host: localhost', 'Connection: close', ...headers].join('\r\n')}\r\n\r\n`

/** A handshake that can succeed, but for what the given lines replace by name. */
export function handshakeText(target: string, ...replaced: readonly string[]): string {
  const lines = new Map([
    ['host', 'Host: localhost'],
    ['connection', 'Connection: Upgrade'],
    ['upgrade', 'Upgrade: websocket'],
    ['sec-websocket-version', 'Sec-WebSocket-Version: 13'],
    ['sec-websocket-key', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='],
  ])
  for (const line of replaced) lines.set(line.slice(0, line.indexOf(':')).toLowerCase(), line)
  return `GET ${target} HTTP/1.1\r\n${[...lines.values()].filter((line) => !line.endsWith(':')).join('\r\n')}\r\n\r\n`
}

/** A client's frame, masked with zeros. @param opcode 1 text, 2 binary, 0 continuation, 8 close, 9 ping */
export function clientFrame(
  opcode: number,
  payload: Buffer | string,
  { fin = true, length = -1 } = {},
): Buffer {
  const bytes = Buffer.from(payload)
  const announced = length < 0 ? bytes.length : length
  const head =
    announced < 126
      ? Buffer.from([(fin ? 0x80 : 0) | opcode, 0x80 | announced])
      : announced < 65_536
        ? Buffer.concat([Buffer.from([(fin ? 0x80 : 0) | opcode, 0x80 | 126]), uint(announced, 2)])
        : Buffer.concat([Buffer.from([(fin ? 0x80 : 0) | opcode, 0x80 | 127]), uint(announced, 8)])
  return Buffer.concat([head, Buffer.alloc(4), bytes])
}

function uint(value: number, bytes: 2 | 8): Buffer {
  const buffer = Buffer.alloc(bytes)
  if (bytes === 2) buffer.writeUInt16BE(value)
  else buffer.writeBigUInt64BE(BigInt(value))
  return buffer
}

export const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1])
export const bodyOf = (answer: string): string => answer.slice(answer.indexOf('\r\n\r\n') + 4)
