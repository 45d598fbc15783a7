/** Runs the chat room of `handlers/chat` over the hibernating WebSockets of a farm's Durable Object. */
import type { LinkedGame } from '../../bridges/linked/edge-end/linked-game.ts'
import { authTimeout } from '../../handlers/chat/limits.ts'
import { ChatRoom } from '../../handlers/chat/room.ts'
import { channelsOf } from '../../handlers/chat/room-client.ts'
import type { KeyHolder } from '../../handlers/key-holder.ts'
import { checkPlace } from '../chat/chat-client-limits.ts'
import { type RoomApi, roomParts } from '../chat/room-parts.ts'
import { EdgeClient } from './chat-attachment.ts'
import type { FarmStore } from './farm-store.ts'
import { isTooLong } from './websocket.ts'

interface EdgeChatOptions extends RoomApi {
  readonly game: LinkedGame
  readonly store: FarmStore
  readonly maxClients: number
}

export class EdgeChat {
  readonly #options: EdgeChatOptions
  readonly #room: ChatRoom<EdgeClient>
  readonly #clients = new Map<WebSocket, EdgeClient>()
  readonly #parts: ReturnType<typeof roomParts>
  #hasFollowers = false

  /** @param sockets of clients that were open before hibernation */
  constructor(options: EdgeChatOptions, sockets: readonly WebSocket[]) {
    const { game, store } = options
    this.#options = options
    this.#parts = roomParts(options, options.maxClients)
    this.#room = new ChatRoom({
      ...this.#parts.room,
      game,
      say: game.say,
      lines: {
        get next() {
          return store.newest() + 1
        },
        missed(since, before) {
          if (since <= store.newest()) return store.missed(since, before)
          game.askNumbers()
          return undefined
        },
      },
      keyRequired: true,
      publish: (channel, text) => {
        for (const client of this.#clients.values())
          if (channelsOf(client.state).includes(channel)) client.send(text)
      },
      followed: (topics) => {
        this.#hasFollowers = topics.length > 0
        game.watch([...topics].sort())
      },
    })
    for (const ws of sockets) {
      const client = EdgeClient.found(ws, this.#forget)
      if (client !== undefined) this.#clients.set(ws, client)
    }
    game.hear((event) => this.#room.heard(event))
    this.#room.resume(this.#clients.values())
  }

  /** How many clients get the chat. */
  get listening(): number {
    let count = 0
    for (const { state } of this.#clients.values()) if (state.session.phase === 'open') count += 1
    return count
  }

  /** Bytes of all attachments, and of their copies in memory. */
  get stateBytes(): number {
    let bytes = 0
    for (const { attachedBytes } of this.#clients.values()) bytes += 2 * attachedBytes
    return bytes
  }

  /** Whether clients are subscribed to topics: they must get the events when the farm goes offline. */
  get hasFollowers(): boolean {
    return this.#hasFollowers
  }

  /** Whether any client is connected. */
  get hasClients(): boolean {
    return this.#clients.size > 0
  }

  /**
   * When the next client must be closed because it did not authenticate or because the game is offline, milliseconds
   * since 1970; undefined for no such time.
   */
  get nextDeadline(): number | undefined {
    let first = this.#room.nextClose
    for (const { state, connectedAt } of this.#clients.values())
      if (state.session.phase === 'unauthenticated')
        first = Math.min(first ?? Number.POSITIVE_INFINITY, connectedAt + authTimeout)
    return first
  }

  /** @throws {Problem} too_many_clients, rate_limited */
  admit(address: string): void {
    const { maxClients } = this.#options
    const { crowded } = this.#parts
    checkPlace({ clients: this.#clients.values(), maxClients, keyRequired: true, crowded }, address)
  }

  /**
   * @param isCommand whether it says that it is farmgate's command line
   * @param session that the handshake has proved
   */
  open(ws: WebSocket, address: string, isCommand: boolean, session: KeyHolder | undefined): void {
    const peer = { address, connectedAt: this.#options.now(), ...(isCommand && { isCommand: true as const }) }
    const client = EdgeClient.accepted(ws, peer, this.#forget)
    this.#clients.set(ws, client)
    this.#room.enter(client, session)
  }

  /** Handles a message of a client; does nothing for one that was closed. */
  received(ws: WebSocket, message: string | ArrayBuffer): void {
    this.#parts.flush()
    const client = this.#clients.get(ws)
    if (client === undefined) return
    if (isTooLong(message)) this.#room.close(client, 1009, 'Message too long')
    else if (typeof message === 'string') this.#room.heardText(client, message)
    else this.#room.heardBinary(client)
  }

  disconnected(ws: WebSocket): void {
    const client = this.#clients.get(ws)
    if (client !== undefined) this.#forget(client)
  }

  /** Closes the clients whose deadline (`nextDeadline`) has passed. */
  deadlinesPassed(): void {
    this.#room.closeForOfflineGame()
    const due = this.#options.now() - authTimeout
    for (const client of this.#clients.values())
      if (client.state.session.phase === 'unauthenticated' && client.connectedAt <= due)
        this.#room.authOverdue(client)
  }

  /** Call this when the farm has given out the chat lines' numbers below `next`, and no others. */
  numbersKnown(next: number): void {
    this.#room.numbersKnown(next)
  }

  /** Call this when the farm is linked again. */
  farmIsBack(): void {
    this.#room.gameIsBack()
  }

  /** Call this when a key was made, changed, replaced or revoked, or has expired. */
  keysChanged(): void {
    this.#room.keysChanged()
  }

  closeAll(code: number, reason: string): void {
    for (const client of this.#clients.values()) this.#room.close(client, code, reason)
  }

  /** Removes a client as soon as this side closes it, because its peer may never answer the close frame. */
  readonly #forget = (client: EdgeClient): void => {
    this.#clients.delete(client.ws)
    this.#room.leave(client)
  }
}
