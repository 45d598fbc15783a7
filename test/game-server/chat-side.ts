/** The game's `/ws`, with the behaviour of JunimoServer, its bugs included. */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { pause } from '../wait.ts'
import { dotnetJson, dotnetTime } from './dotnet-json.ts'
import type { World } from './world.ts'

interface ChatOptions {
  readonly world: World
  readonly key: () => string
  /** Milliseconds that a client has to authenticate. */
  readonly authWithin: number
  /** Milliseconds that a line waits for the game thread. */
  readonly gameThreadBudget: number
}

const clean = (text: string, maxLength: number) => {
  const trimmed = text
    .replaceAll(/\p{Cc}/gu, '')
    .trim()
    .replaceAll(/ {2,}/g, ' ')
  return trimmed.length > maxLength ? `${trimmed.slice(0, maxLength)}...` : trimmed
}

export function startChatSide({ world, key, authWithin, gameThreadBudget }: ChatOptions) {
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false })
  const registered = new Set<WebSocket>()
  const all = new Set<WebSocket>()
  const state = {
    opened: 0,
    pings: 0,
    /** `chat_send` messages that were received, whether or not they reached the game's chat. */
    lines: 0,
    /** Messages are received and ignored. */
    isSilent: false,
    /** The number of messages received while silent. */
    ignored: 0,
  }

  const stop = world.onSaid((playerName, message) => {
    const line = dotnetJson({
      type: 'chat',
      payload: { playerName, message, timestamp: dotnetTime(world.now()) },
    })
    for (const socket of registered) socket.send(line)
  })

  /** Blocks the socket while a line waits for the game thread; a line that waits too long is dropped. */
  async function receive(socket: WebSocket, type: unknown, payload: Record<string, unknown>) {
    if (type === 'ping') {
      state.pings += 1
      socket.send('{"type":"pong"}')
    }
    if (type !== 'chat_send') return
    state.lines += 1
    const author = clean(String(payload.author ?? ''), 32) || 'Anonymous'
    const message = clean(String(payload.message ?? ''), 450)
    const until = Date.now() + gameThreadBudget
    const isBusy = () => world.isTurning || world.isFrozen
    while (isBusy() && Date.now() < until) await pause(10)
    if (message !== '' && !isBusy()) world.heard.push(`(Web) ${author}: ${message}`)
  }

  function authenticate(socket: WebSocket, type: unknown, payload: Record<string, unknown>): boolean {
    if (type === 'auth' && payload.token === key()) {
      registered.add(socket)
      socket.send('{"type":"auth_success"}')
      return true
    }
    // `error` at the top level, no payload.
    socket.send('{"type":"auth_failed","error":"Invalid token"}')
    socket.close(1008, 'Authentication failed')
    return false
  }

  function open(socket: WebSocket) {
    state.opened += 1
    all.add(socket)
    let isKnown = key() === ''
    let working = Promise.resolve()
    if (isKnown) registered.add(socket)
    // The notice is never delivered: the connection is dropped, and the client sees 1006.
    const deadline = setTimeout(() => !isKnown && socket.terminate(), authWithin)
    socket.on('error', () => socket.terminate())
    socket.on('close', () => {
      clearTimeout(deadline)
      registered.delete(socket)
      all.delete(socket)
    })
    socket.on('message', (bytes, isBinary) => {
      if (state.isSilent) {
        state.ignored += 1
        return
      }
      let message: { type?: unknown; payload?: Record<string, unknown> } | null
      try {
        message = isBinary ? null : JSON.parse(bytes.toString())
      } catch {
        if (!isKnown) socket.terminate()
        return
      }
      // Without a key `auth` is ignored: no `auth_success`.
      if (isKnown) {
        working = working.then(() => receive(socket, message?.type, message?.payload ?? {}))
        return
      }
      isKnown = authenticate(socket, message?.type, message?.payload ?? {})
    })
  }

  return {
    state,
    /** Sockets open now. */
    get count() {
      return all.size
    },
    /** Sends every client a frame as it is. */
    sendRaw(frame: string | Buffer) {
      for (const socket of all) socket.send(frame)
    },
    upgrade(request: IncomingMessage, stream: Duplex, head: Buffer) {
      sockets.handleUpgrade(request, stream, head, open)
    },
    drop() {
      for (const socket of all) socket.terminate()
    },
    stop() {
      stop()
      for (const socket of all) socket.terminate()
      sockets.close()
    },
  }
}
