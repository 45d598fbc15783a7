/**
 * New connections of an address that is far over its rate (docs/security.md): the first request is read before Node's
 * HTTP server sees it, and refused here unless it has to be served. That takes a fraction of the time, and whatever
 * else the connection sends is never parsed.
 */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** What is read of a request before it is served. */
interface RequestHead {
  readonly method: string
  readonly target: string
  /** @param name in small letters */
  header(name: string): string | undefined
}

export interface FirstHeadOptions {
  /** Whether the first request of a new connection of this address is read here. */
  readonly isRead: (address: string) => boolean
  /** @returns the answer, after which the connection is closed; undefined to have the request served */
  readonly refusalOf: (head: RequestHead, address: string) => Buffer | undefined
  /** Milliseconds in which the head has to come. */
  readonly timeout: number
}

/** Of a longer head only so many bytes are read here. */
const maxHeadBytes = 16 * 1024

/** To be called before anybody else listens for the server's connections. */
export function readFirstHeads(server: Server, { isRead, refusalOf, timeout }: FirstHeadOptions): void {
  const listeners = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    const serve = () => {
      for (const listener of listeners) Reflect.apply(listener, server, [socket])
    }
    const address = socket.remoteAddress ?? ''
    if (isRead(address)) readHead(socket, { timeout, serve, refusalOf: (head) => refusalOf(head, address) })
    else serve()
  })
}

interface HeadOptions {
  readonly timeout: number
  readonly serve: () => void
  readonly refusalOf: (head: RequestHead) => Buffer | undefined
}

function readHead(socket: Socket, { timeout, serve, refusalOf }: HeadOptions): void {
  const chunks: Buffer[] = []
  let text = ''
  const destroy = () => void socket.destroy()
  const late = setTimeout(destroy, timeout)
  const done = () => clearTimeout(late)
  const read = (chunk: Buffer) => {
    chunks.push(chunk)
    text += chunk.toString('latin1', 0, maxHeadBytes)
    if (!text.includes('\r\n\r\n') && text.length < maxHeadBytes) return
    done()
    socket.off('data', read).off('end', destroy)
    const refusal = refusalOf(headOf(text))
    socket.pause()
    if (refusal !== undefined) {
      socket.end(refusal, destroy)
      return
    }
    socket.off('error', destroy).off('close', done)
    socket.unshift(Buffer.concat(chunks))
    serve()
    socket.resume()
  }
  socket.on('data', read).on('end', destroy).on('error', destroy).on('close', done)
}

function headOf(text: string): RequestHead {
  const end = text.indexOf('\r\n\r\n')
  const lines = (end < 0 ? text : text.slice(0, end)).split('\r\n')
  const [method = '', target = ''] = lines[0]?.split(' ') ?? []
  return {
    method,
    target,
    header: (name) =>
      lines
        .find((line) => line.slice(0, name.length + 1).toLowerCase() === `${name}:`)
        ?.slice(name.length + 1)
        .trim(),
  }
}
