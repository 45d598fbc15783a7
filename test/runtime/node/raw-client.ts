/** A WebSocket client with handmade frames. */
import { expect } from 'vitest'
import { eventually } from '../../wait.ts'
import type { NodeServer } from './node-server.ts'
import { clientFrame, handshakeText, openSocket } from './raw-socket.ts'

/** An authenticated connection with handmade frames. */
export async function rawClient({ port, key }: NodeServer) {
  const socket = await openSocket(port)
  const received: Buffer[] = []
  socket.on('data', (bytes) => received.push(bytes))
  socket.write(handshakeText('/ws'))
  socket.write(clientFrame(1, JSON.stringify({ type: 'auth', payload: { token: key } })))
  const text = () => Buffer.concat(received).toString('latin1')
  await eventually(() => expect(text()).toContain('auth_success'))
  return { socket, text, closeCode: () => closeCode(received) }
}

/** The code of the close frame, the last frame of the server. */
const closeCode = (received: readonly Buffer[]): Promise<number> =>
  eventually(() => {
    const bytes = Buffer.concat(received)
    const at = bytes.lastIndexOf(0x88)
    if (at < 0 || at + 2 + (bytes[at + 1] ?? 0) !== bytes.length) throw new Error('no close frame yet')
    return bytes.readUInt16BE(at + 2)
  })
