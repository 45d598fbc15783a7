import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import {
  type Channel,
  type ClientState,
  channelsOf,
  newClient,
  type RoomClient,
} from '../../handlers/chat/room-client.ts'
import type { FanOut, Listener, Member } from './fan-out.ts'

/** Most bytes that wait in one socket. */
export const queueBytes = 1024 * 1024

/** Bytes of a peer that are thrown away after the close: what was on its way, not what a flood goes on sending. */
const unreadBytes = 1024 * 1024

export interface ChatClientOptions {
  readonly ws: WebSocket
  readonly socket: Socket
  readonly address: string
  /** Milliseconds since 1970. */
  readonly connectedAt: number
  readonly fanOut: FanOut
  /** It has shown the key, or none is needed. */
  readonly onAuthenticated: () => void
  /** The second, of every thirty, in which it is pinged. */
  readonly pingSecond: number
  /** It does not read what it is sent: tell it so and close. */
  readonly tooSlow: (client: ChatClient) => void
}

/** One connected client on Node. */
export class ChatClient implements RoomClient {
  readonly ws: WebSocket
  readonly address: string
  readonly connectedAt: number
  readonly pingSecond: number
  missedPings = 0
  /** Ends its wait for `auth`. */
  authTimer: NodeJS.Timeout | undefined
  readonly #options: ChatClientOptions
  readonly #socket: Socket
  #member: Member | undefined
  #state: ClientState = newClient

  constructor(options: ChatClientOptions) {
    this.#options = options
    this.ws = options.ws
    this.address = options.address
    this.connectedAt = options.connectedAt
    this.pingSecond = options.pingSecond
    this.#socket = options.socket
    this.#socket.setNoDelay(true)
  }

  get state(): ClientState {
    return this.#state
  }

  set state(next: ClientState) {
    const before = this.#state
    this.#state = next
    if (next.session.phase !== 'unauthenticated') clearTimeout(this.authTimer)
    if (next.session.phase === 'open' && before.session.phase !== 'open') this.#options.onAuthenticated()
    if (next.session.phase !== before.session.phase || next.topics !== before.topics)
      this.#hear(channelsOf(next))
  }

  send(...texts: readonly string[]): void {
    if (texts.length === 0 || !this.#isOpen()) return
    let waiting = this.#socket.writableLength
    for (const text of texts) waiting += Buffer.byteLength(text)
    if (waiting > queueBytes) {
      this.#options.tooSlow(this)
      return
    }
    this.#socket.cork()
    for (const text of texts) this.ws.send(text)
    this.#socket.uncork()
    if (this.#member !== undefined) this.#options.fanOut.watch(this.#member)
  }

  /** Closes, unless that has begun already; from then on nothing of what the peer sends is looked at. */
  close(code: number, reason: string): void {
    this.ws.close(code, reason)
    // The peer's own close need not be read: it has ours, and the end of the connection behind it.
    let left = unreadBytes
    this.#socket.removeAllListeners('data').end()
    this.#socket.on('data', (bytes: Buffer) => {
      left -= bytes.length
      if (left < 0) this.#socket.destroy()
    })
    this.#socket.resume()
  }

  /** Writes everything that was published and not sent to it yet; for use before it is closed. */
  finish(): void {
    if (this.#member !== undefined) this.#options.fanOut.finish(this.#member)
  }

  /** Its connection has ended. */
  gone(): void {
    clearTimeout(this.authTimer)
    this.#hear([])
  }

  #hear(channels: readonly Channel[]): void {
    const { fanOut } = this.#options
    if (channels.length > 0) {
      this.#member ??= fanOut.join(this.#listener())
      fanOut.hear(this.#member, channels)
    } else if (this.#member !== undefined) {
      fanOut.leave(this.#member)
      this.#member = undefined
    }
  }

  #listener(): Listener {
    return {
      socket: this.#socket,
      isOpen: this.#isOpen,
      tooSlow: () => this.#options.tooSlow(this),
    }
  }

  readonly #isOpen = () => this.ws.readyState === this.ws.OPEN
}
