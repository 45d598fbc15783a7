import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import {
  type Channel,
  type ClientState,
  channelsOf,
  newClient,
  type RoomClient,
} from '../../handlers/chat/room-client.ts'
import type { KeyHolder } from '../../handlers/key-holder.ts'
import { dropInput } from '../../lib/drop-input.ts'
import type { FanOut, Listener, Member } from './fan-out.ts'

/** Maximum of bytes that wait in one client's socket. */
export const queueBytes = 1024 * 1024

export interface ChatClientOptions {
  readonly ws: WebSocket
  readonly socket: Socket
  readonly address: string
  readonly isCommand: boolean
  /** Milliseconds since 1970. */
  readonly connectedAt: number
  readonly fanOut: FanOut
  /** Called when the client has sent a right key, or at once when no key is set; again after each further right key. */
  readonly onAuthenticated: (holder: KeyHolder) => void
  /** The second out of every thirty in which the client gets a ping, 0 to 29. */
  readonly pingSecond: number
  /** Called when the client reads too slowly: close it. */
  readonly tooSlow: (client: NodeClient) => void
}

/** @returns undefined unless the client has authenticated */
const holderOf = ({ session }: ClientState) => (session.phase === 'open' ? session.holder : undefined)

/** One connected client on Node. */
export class NodeClient implements RoomClient {
  readonly ws: WebSocket
  readonly address: string
  readonly isCommand: boolean
  readonly connectedAt: number
  readonly pingSecond: number
  missedPings = 0
  /** Closes the client when no `auth` comes in time. */
  authTimer: NodeJS.Timeout | undefined
  readonly #options: ChatClientOptions
  readonly #socket: Socket
  #member: Member | undefined
  #state: ClientState = newClient

  constructor(options: ChatClientOptions) {
    this.#options = options
    this.ws = options.ws
    this.address = options.address
    this.isCommand = options.isCommand
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
    const holder = holderOf(next)
    if (holder !== undefined && holder !== holderOf(before)) this.#options.onAuthenticated(holder)
    const channels = channelsOf(next)
    if (channels.join() !== channelsOf(before).join()) this.#hear(channels)
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

  /** Closes the connection, unless that has begun; what the peer sends from then on is dropped. */
  close(code: number, reason: string): void {
    this.ws.close(code, reason)
    // Ends the connection right after farmgate's close frame, without waiting for the peer's.
    this.#socket.end()
    dropInput(this.#socket)
    stopReading(this.ws)
  }

  /** Writes everything that was published and not sent to the client yet; call this before `close`. */
  finish(): void {
    if (this.#member !== undefined) this.#options.fanOut.finish(this.#member)
  }

  /** Call this when the connection has ended. */
  disconnected(): void {
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

/**
 * Stops `ws` in the middle of what it has read, which can hold thousands of frames. It has no public way for this; if
 * its private one changes, these frames are parsed and ignored.
 */
function stopReading(ws: WebSocket): void {
  const receiver: unknown = Reflect.get(ws, '_receiver')
  if (typeof receiver === 'object' && receiver !== null && '_loop' in receiver) receiver._loop = false
}
