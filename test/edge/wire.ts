/** A TCP proxy, such as one between a farm and the edge, whose connections tests can break. */

import { connect, createServer, type Socket } from 'node:net'
import { listening } from '../listening.ts'

export interface Wire {
  /** The address of the proxy. */
  readonly url: string
  /** Starts or stops breaking every new connection at once. */
  refuse(isOn: boolean): void
  /** Connections that were refused. */
  readonly refused: number
  /** Breaks all open connections. */
  cut(): void
  /** New connections lead there. @param url of another server behind it */
  passTo(url: string): void
  stop(): void
}

export async function wireTo(url: string): Promise<Wire> {
  let behind = new URL(url)
  const sockets = new Set<Socket>()
  let isRefusing = false
  let refused = 0
  const server = createServer((near) => {
    if (isRefusing) {
      refused += 1
      near.destroy()
      return
    }
    const far = connect(Number(behind.port), behind.hostname)
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
  const port = await listening(server)
  const cut = () => {
    for (const socket of [...sockets]) socket.destroy()
  }
  return {
    url: `http://127.0.0.1:${port}`,
    refuse(isOn) {
      isRefusing = isOn
    },
    get refused() {
      return refused
    },
    cut,
    passTo(next) {
      behind = new URL(next)
    },
    stop() {
      cut()
      server.close()
    },
  }
}
