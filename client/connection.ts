/** Keeps one WebSocket open: notices a dead one by pings, and connects again with back-off after every drop. */
import { parse } from './json.ts'
import { jitter, pause } from './pause.ts'
import type { Socket, SocketClass } from './socket.ts'

/** A message of the server, its payload next to its type. */
export interface Message {
  readonly type: string
  readonly [member: string]: unknown
}

export interface ConnectionOptions {
  readonly url: string
  readonly WebSocket: SocketClass
  /** Ends the connection permanently. */
  readonly signal: AbortSignal
  onOpen(): void
  onMessage(message: Message): void
  /** @returns whether the server had accepted the client, which resets the back-off */
  onClose(code: number | undefined, reason: string): boolean
}

export interface Connection {
  /** @returns false when there is no open socket */
  send(type: string, payload?: object): boolean
}

/** Milliseconds without a message until a ping is sent, and from then until the connection counts as broken. */
const pingAfter = 30_000
const silence = 10_000
/** Milliseconds before the first new attempt; twice as long before each next, up to the maximum. */
const firstPause = 1_000
const maxPause = 30_000

export function keepConnected(options: ConnectionOptions): Connection {
  const { signal } = options
  let open: Socket | undefined
  const send: Connection['send'] = (type, payload) => {
    open?.send(JSON.stringify({ type, payload }))
    return open !== undefined
  }

  /** @returns whether the server had accepted the client, when the connection has ended */
  const once = () =>
    new Promise<boolean>((resolve) => {
      const socket = new options.WebSocket(options.url)
      let timer: ReturnType<typeof setTimeout> | undefined
      let isOver = false
      const end = (code?: number, reason = '') => {
        if (isOver) return
        isOver = true
        open = undefined
        clearTimeout(timer)
        signal.removeEventListener('abort', abort)
        socket.close()
        resolve(options.onClose(code, reason))
      }
      const abort = () => end()
      const restartTimer = () => {
        clearTimeout(timer)
        timer = setTimeout(() => {
          send('ping')
          timer = setTimeout(end, silence)
        }, pingAfter)
      }
      restartTimer()
      signal.addEventListener('abort', abort)
      socket.addEventListener('open', () => {
        if (isOver) return
        open = socket
        options.onOpen()
      })
      socket.addEventListener('message', ({ data }) => {
        if (isOver) return
        restartTimer()
        const message = read(data)
        if (message !== undefined) options.onMessage(message)
      })
      // Node 22 reports a refused connection only by `error`. After an open socket's error comes a close.
      socket.addEventListener('error', () => {
        if (open === undefined) end()
      })
      socket.addEventListener('close', ({ code, reason }) => end(code, reason))
    })

  const again = async () => {
    for (let failures = 0; !signal.aborted; ) {
      // A browser can refuse a socket by throwing, for example `ws:` from a page of `https:`.
      failures = (await once().catch(() => false)) ? 0 : failures + 1
      await pause(jitter(Math.min(firstPause * 2 ** Math.max(0, failures - 1), maxPause)), signal)
    }
  }
  void again()
  return { send }
}

function read(data: unknown): Message | undefined {
  try {
    const { type, payload, ...rest } = parse(String(data)) as Record<string, unknown>
    return typeof type === 'string' ? { ...rest, ...(payload as object | undefined), type } : undefined
  } catch {
    // Messages of other programs are ignored, as are types that a later version adds.
    return undefined
  }
}
