/** A WebSocket client with handmade frames. */
import { connect } from 'node:net'
import { expect, onTestFinished } from 'vitest'
import type { ServerUnderTest } from '../../contract/server-under-test.ts'
import { clientFrame, handshakeText } from '../../raw-bytes.ts'
import { eventually } from '../../wait.ts'

/** An authenticated connection with handmade frames. */
export async function rawClient({ wsUrl, key }: Pick<ServerUnderTest, 'wsUrl' | 'key'>) {
  const { hostname, port, pathname } = new URL(wsUrl)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  const received: Buffer[] = []
  socket.on('data', (bytes) => received.push(bytes))
  socket.write(handshakeText(pathname))
  socket.write(clientFrame(1, JSON.stringify({ type: 'auth', payload: { token: key } })))
  const text = () => Buffer.concat(received).toString('latin1')
  await eventually(() => expect(text()).toContain('auth_success'))
  return {
    socket,
    text,
    /** Waits for the answer to a last ping, which shows that the connection is open. */
    async answers() {
      socket.write(clientFrame(9, 'the last'))
      await eventually(() => expect(text()).toContain('the last'))
    },
    closeCode: () => closeCode(received),
  }
}

/** The code of the close frame, the last frame of the server. */
const closeCode = (received: readonly Buffer[]): Promise<number> =>
  eventually(() => {
    const bytes = Buffer.concat(received)
    const at = bytes.lastIndexOf(0x88)
    if (at < 0 || at + 2 + (bytes[at + 1] ?? 0) !== bytes.length) throw new Error('no close frame yet')
    return bytes.readUInt16BE(at + 2)
  })
