/** Runs the chat room of `handlers/chat` over the WebSockets of a Node server. */
import type { Socket } from 'node:net'
import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { WSEvents } from 'hono/ws'
import type { WebSocket } from 'ws'
import type { FarmChat } from '../../handlers/chat/farm-chat.ts'
import { authTimeout } from '../../handlers/chat/limits.ts'
import { closeCodes } from '../../handlers/chat/messages.ts'
import { ChatRoom } from '../../handlers/chat/room.ts'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import type { Host } from '../../handlers/host.ts'
import type { KeyHolder } from '../../handlers/key-holder.ts'
import type { ServerKeys } from '../../lib/key-ring.ts'
import { checkPlace } from '../chat/chat-client-limits.ts'
import { type RoomApi, roomParts } from '../chat/room-parts.ts'
import { auditedSay } from '../dispatch/say.ts'
import { type Caller, isCommand } from '../http/caller.ts'
import { NodeClient } from './chat-client.ts'
import type { FanOut } from './fan-out.ts'

interface ChatOptions extends RoomApi {
  readonly game: GameBridge
  readonly host: Pick<Host, 'hearLog'>
  readonly chat: Omit<FarmChat, 'close'>
  readonly fanOut: FanOut
  readonly keys: Pick<ServerKeys, 'required' | 'onChange'>
  readonly maxClients: number
}

/** Seconds between two protocol pings to one client. */
const pingEvery = 30
/** Pings in a row without any frame from the client after which its connection is ended. */
const maxMissedPings = 2

export class Chat {
  readonly #options: ChatOptions
  readonly #room: ChatRoom<NodeClient>
  readonly #unsubscribe: () => void
  readonly #everySecond: NodeJS.Timeout
  /** Pending handshakes of admitted clients. */
  readonly #handshakes = new Set<Caller>()
  readonly #parts: ReturnType<typeof roomParts>
  #second = 0
  #unhearLog: (() => void) | undefined

  constructor(options: ChatOptions) {
    const { game, keys } = options
    this.#options = options
    this.#parts = roomParts(options, options.maxClients)
    this.#room = new ChatRoom({
      ...this.#parts.room,
      game,
      say: auditedSay({ ...options, current: options.gate.current }),
      lines: options.chat.lines,
      keyRequired: keys.required,
      publish: (channel, text) => options.fanOut.publish(channel, text),
      followed: (topics) => this.#followLog(topics.includes('log')),
    })
    keys.onChange?.(() => this.#room.keysChanged())
    this.#unsubscribe = options.chat.hear((event) => this.#room.heard(event))
    this.#everySecond = setInterval(() => this.#tick(), 1000)
    this.#everySecond.unref()
  }

  /**
   * Admits one more client. Its handshake counts as a client until `onOpen` of `events` is called, which happens for a
   * failed handshake too.
   * @throws {Problem} too_many_clients, rate_limited
   */
  admit(caller: Caller): void {
    const { maxClients, keys } = this.#options
    const { clients } = this.#room
    const { crowded } = this.#parts
    checkPlace(
      { clients, handshakes: this.#handshakes, maxClients, keyRequired: keys.required, crowded },
      caller.address,
    )
    this.#handshakes.add(caller)
  }

  /** The callbacks of one handshake for Hono's upgrade helper. */
  readonly events = (
    c: Context<{ Bindings: HttpBindings }>,
    caller: Caller,
    session?: KeyHolder,
  ): WSEvents<WebSocket> => {
    let client: NodeClient | undefined
    return {
      onOpen: (_event, { raw }) => {
        this.#handshakes.delete(caller)
        if (raw?.readyState === raw?.OPEN && raw !== undefined)
          client = this.#open(raw, c.env.incoming.socket, caller, session)
      },
      onMessage: ({ data }) => {
        if (client === undefined) return
        client.missedPings = 0
        caller.active?.()
        if (typeof data === 'string') this.#room.heardText(client, data)
        else this.#room.heardBinary(client)
      },
      onClose: () => {
        if (client === undefined) return
        this.#room.leave(client)
        client.disconnected()
      },
    }
  }

  /** Sends each client what waits for it, then closes all with 1001. */
  close(): void {
    this.#unsubscribe()
    this.#followLog(false)
    clearInterval(this.#everySecond)
    this.#parts.flush(true)
    for (const client of this.#room.clients) {
      client.finish()
      client.close(closeCodes.goingAway, 'Server is stopping')
    }
  }

  #open(ws: WebSocket, socket: Socket, caller: Caller, session: KeyHolder | undefined): NodeClient {
    const client = new NodeClient({
      ws,
      socket,
      address: caller.address,
      isCommand: isCommand(caller),
      onAuthenticated: (holder) => caller.hasKey?.(holder),
      connectedAt: this.#options.now(),
      fanOut: this.#options.fanOut,
      pingSecond: this.#second,
      tooSlow: this.#tooSlow,
    })
    const heardPing = () => {
      client.missedPings = 0
      this.#room.heardPing(client)
    }
    ws.on('ping', (data) => {
      heardPing()
      // `ws` itself would make an error with a trace for each ping after the close.
      if (ws.readyState === ws.OPEN) ws.pong(data)
    })
    ws.on('pong', heardPing)
    // `ws` itself sends the close frame after a malformed frame.
    ws.on('error', () => this.#room.close(client, closeCodes.protocolError, ''))
    if (this.#options.keys.required)
      client.authTimer = setTimeout(() => this.#room.authOverdue(client), authTimeout)
    this.#room.enter(client, session)
    return client
  }

  /** The game's log is read only while a client follows it. */
  #followLog(isFollowed: boolean): void {
    if (isFollowed) this.#unhearLog ??= this.#options.host.hearLog((event) => this.#room.heard(event))
    else {
      this.#unhearLog?.()
      this.#unhearLog = undefined
    }
  }

  readonly #tooSlow = (client: NodeClient): void => {
    this.#options.metrics.chat.closedSlow.inc()
    this.#room.close(client, closeCodes.tryAgainLater, 'Too slow')
  }

  /** Runs every second. Each client gets a ping in one second out of thirty, so that the pings are spread. */
  #tick(): void {
    this.#options.fanOut.dropSlow()
    this.#parts.flush()
    this.#room.closeForOfflineGame()
    // Closes the clients whose key has expired.
    this.#room.keysChanged()
    this.#second = (this.#second + 1) % pingEvery
    for (const client of this.#room.clients) {
      const { ws } = client
      if (client.pingSecond !== this.#second || ws.readyState !== ws.OPEN) continue
      if (client.missedPings >= maxMissedPings) ws.terminate()
      else {
        client.missedPings += 1
        ws.ping()
      }
    }
  }
}
