/** Bytes on a TCP socket (test/raw-bytes.ts makes them). */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export { bodyOf, clientFrame, handshakeText, requestText, statusOf } from '../../raw-bytes.ts'

/** A connection to the port, which ends with the test; errors of the socket are ignored, because tests cause them. */
export async function openSocket(port: number, allowHalfOpen = false): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen })
  socket.on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))
  return socket
}

/** A connection that never closes its own side. */
export const openStubborn = (port: number): Promise<Socket> => openSocket(port, true)

/** The sockets that servers of this process accept from now on, until the test ends. */
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

/**
 * Sends bytes and reads until the server closes, at most `timeout` milliseconds. @returns the received bytes, as
 * latin-1
 */
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

/** The received bytes until the server closes. */
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
