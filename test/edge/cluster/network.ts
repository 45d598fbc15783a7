/** The network between the instances of a cluster, of which a test holds the bytes that go to one. */
import { connect, createServer, type Socket } from 'node:net'
import { listening } from '../../listening.ts'

export interface Network {
  readonly port: number
  /** Holds all bytes that go to the instance, and those of new connections. */
  hold(): void
  /** Passes them on. */
  heal(): void
  close(): void
}

/** @param to the port of the instance on loopback */
export async function openNetwork(to: number): Promise<Network> {
  const senders = new Set<Socket>()
  const all = new Set<Socket>()
  let isHeld = false
  const server = createServer((from) => {
    const onward = connect({ host: '127.0.0.1', port: to })
    from.pipe(onward).pipe(from)
    senders.add(from)
    if (isHeld) from.pause()
    for (const [socket, other] of [
      [from, onward],
      [onward, from],
    ] as const) {
      all.add(socket)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        all.delete(socket)
        senders.delete(socket)
        other.destroy()
      })
    }
  })
  return {
    port: await listening(server),
    hold() {
      isHeld = true
      for (const from of senders) from.pause()
    },
    heal() {
      isHeld = false
      for (const from of senders) from.resume()
    },
    close() {
      server.close()
      for (const socket of all) socket.destroy()
    },
  }
}
