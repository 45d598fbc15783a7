/** An address that is known before the server behind it starts, as that of a farm's page is. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface Front {
  readonly url: string
  /** @param url of the server behind it */
  passTo(url: string): void
  stop(): void
}

export async function openFront(): Promise<Front> {
  let port = 0
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    const behind = connect(port, '127.0.0.1')
    for (const [one, other] of [
      [socket, behind],
      [behind, socket],
    ] as const) {
      sockets.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passTo(url) {
      port = Number(new URL(url).port)
    },
    stop() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
