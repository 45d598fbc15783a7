import net from 'node:net'
import { onTestFinished } from 'vitest'
import {
  type Connections,
  type ConnectionsParts,
  openConnections,
} from '../../../ticket/depot/cdn/connections.ts'
import { FetchError } from '../../../ticket/depot/cdn/fetch-error.ts'
import { listening } from '../../listening.ts'

/** The port of a server that ends with the test, with all its connections. */
export async function listen(server: net.Server): Promise<number> {
  const sockets = new Set<net.Socket>()
  server.on('connection', (socket: net.Socket) => {
    sockets.add(socket)
    // Errors of the socket are ignored, because tests cut connections.
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
  })
  onTestFinished(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return listening(server)
}

/** A server that sends the given answer to each request; requests and connections count from 1. */
export async function speaking(answer: (socket: net.Socket, request: number, connection: number) => void) {
  const requests: string[] = []
  const sockets: net.Socket[] = []
  const server = net.createServer((socket) => {
    const connection = sockets.push(socket)
    let number = 0
    let heard = ''
    socket.on('data', (text) => {
      heard += text
      for (let end = heard.indexOf('\r\n\r\n'); end >= 0; end = heard.indexOf('\r\n\r\n')) {
        requests.push(heard.slice(0, end))
        heard = heard.slice(end + 4)
        number += 1
        answer(socket, number, connection)
      }
    })
  })
  const port = await listen(server)
  return {
    port,
    url: `http://127.0.0.1:${port}/field`,
    /** The heads of all requests. */
    requests,
    /** All connections so far. */
    sockets,
    open: () => sockets.filter(({ closed }) => !closed).length,
  }
}

/** The shortest answer. */
export const wheat = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwheat'

/** Connections that end with the test. */
export function client(changes: Partial<ConnectionsParts> = {}): Connections {
  const now = () => performance.now()
  const connections = openConnections({ count: 4, proxy: undefined, idle: 10_000, now, ...changes })
  onTestFinished(() => connections.close())
  return connections
}

type Request = Parameters<Connections['fetch']>[0]

export const get = (connections: Connections, url: string, changes: Partial<Request> = {}): Promise<Buffer> =>
  connections.fetch({
    url,
    vhost: new URL(url).host,
    memory: (length = 2 ** 20) => Buffer.alloc(length),
    tooSlow: () => false,
    signal: new AbortController().signal,
    ...changes,
  })

/** The body as text, or the name of the error. */
export const outcome = (got: Promise<Buffer>): Promise<string> =>
  got.then(String, (error: unknown) => {
    if (error instanceof FetchError) return error.kind
    throw error
  })
