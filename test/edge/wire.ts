/** A TCP proxy between a farm and the edge whose connections tests can break. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface Wire {
  /** The address of the proxy. */
  readonly url: string
  /** Starts or stops breaking every new connection at once. */
  refuse(isOn: boolean): void
  /** Connections that were refused. */
  readonly refused: number
  /** Breaks all open connections. */
  cut(): void
  stop(): Promise<void>
}

export async function wireTo(url: string): Promise<Wire> {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  let isRefusing = false
  let refused = 0
  const server = createServer((near) => {
    if (isRefusing) {
      refused += 1
      near.destroy()
      return
    }
    const far = connect(Number(port), hostname)
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        near.destroy()
        far.destroy()
      })
    }
    near.pipe(far)
    far.pipe(near)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const cut = () => {
    for (const socket of [...sockets]) socket.destroy()
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    refuse(isOn) {
      isRefusing = isOn
    },
    get refused() {
      return refused
    },
    cut,
    async stop() {
      cut()
      server.close()
    },
  }
}
