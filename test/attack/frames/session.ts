/** A connection to `/ws` with handmade bytes, and the server's frames as words. */
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import type { ServerUnderTest } from '../../contract/server-under-test.ts'
import { clientFrame, handshakeText } from '../../raw-bytes.ts'
import { eventually } from '../../wait.ts'

export interface FrameSession {
  readonly socket: Socket
  /** Sends bytes in pieces of this size, at once unless given. */
  send(bytes: Buffer, piece?: number): void
  /** The server's frames since the handshake, or since authentication. */
  heard(): readonly string[]
}

/** @param isAuthenticated whether the client has sent the key before the test starts */
export async function frameSession(
  { wsUrl, key }: Pick<ServerUnderTest, 'wsUrl' | 'key'>,
  isAuthenticated: boolean,
): Promise<FrameSession> {
  const { hostname, port, pathname } = new URL(wsUrl)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  const auth = clientFrame(1, JSON.stringify({ type: 'auth', payload: { token: key } }))
  socket.write(Buffer.concat([Buffer.from(handshakeText(pathname)), ...(isAuthenticated ? [auth] : [])]))
  const frames = () => {
    const bytes = Buffer.concat(chunks)
    const end = bytes.indexOf('\r\n\r\n')
    return end < 0 ? [] : wordsOf(bytes.subarray(end + 4))
  }
  const send = (bytes: Buffer, piece = bytes.length) => {
    for (let at = 0; at < bytes.length; at += piece) socket.write(bytes.subarray(at, at + piece))
  }
  if (!isAuthenticated) return { socket, send, heard: frames }
  await eventually(() => frames()[0] === 'auth_success')
  return { socket, send, heard: () => frames().slice(1) }
}

/** Whole frames of a server as words, in order. */
function wordsOf(bytes: Buffer): readonly string[] {
  const words: string[] = []
  for (let at = 0; at + 2 <= bytes.length; ) {
    const seven = (bytes[at + 1] ?? 0) & 0x7f
    const start = at + (seven === 126 ? 4 : seven === 127 ? 10 : 2)
    if (start > bytes.length) break
    const length =
      seven === 126
        ? bytes.readUInt16BE(at + 2)
        : seven === 127
          ? Number(bytes.readBigUInt64BE(at + 2))
          : seven
    if (start + length > bytes.length) break
    words.push(wordOf((bytes[at] ?? 0) & 0x0f, bytes.subarray(start, start + length)))
    at = start + length
  }
  return words
}

function wordOf(opcode: number, payload: Buffer): string {
  if (opcode === 8) return payload.length === 0 ? 'CLOSE' : `CLOSE ${payload.readUInt16BE()}`
  if (opcode === 9) return 'PING'
  if (opcode === 10) return `PONG ${payload.toString('latin1')}`
  const { type, payload: inner } = JSON.parse(payload.toString()) as {
    readonly type: string
    readonly payload?: { readonly code?: string }
  }
  return type === 'error' ? `error ${inner?.code}` : type
}
