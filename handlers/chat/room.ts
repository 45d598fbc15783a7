/**
 * The chat room of `/ws`: its clients, what is sent to each, and in which order. It has no sockets and no timers: a
 * runtime calls it for each thing that happens, and implements `RoomClient`. Node and the edge run the same room.
 */
import type { GameBridge, GameHealth } from '../game-bridge.ts'
import type { GameEvent } from '../game-event.ts'
import {
  type ChatInput,
  type ChatRules,
  type ChatStep,
  type ChatTask,
  opened,
  step,
} from './client-session.ts'
import type { ChatLines } from './history.ts'
import { awayWindow } from './limits.ts'
import { LiveState } from './live-state.ts'
import {
  type ChatErrorCode,
  chatMessage,
  chatSent,
  errorMessage,
  gapMessage,
  type Topic,
} from './messages.ts'
import type { Channel, ClientState, RoomClient } from './room-client.ts'
import { sayLines } from './say.ts'

export interface RoomOptions {
  readonly game: Pick<GameBridge, 'health' | 'players' | 'status' | 'cabins' | 'sendChat'>
  readonly lines: ChatLines
  readonly keyRequired: boolean
  /** Checks a key; wrong ones are counted for the address. */
  verify(token: string, address: string): ReturnType<ChatRules['verify']>
  /** Sends a text to every client of the channel; each client gets the texts in the order of the calls. */
  publish(channel: Channel, text: string): void
  /** Called when clients subscribe or leave. @param topics all that a client is subscribed to */
  followed?(topics: readonly Topic[]): void
  /** Called when lines of a client were not said into the game; with `outcome_unknown` they may have been. */
  refused(client: RoomClient, code: ChatErrorCode, lines: number): void
  readonly counts: {
    /** Lines of the game's chat that were sent to the clients. */
    readonly linesRelayed: { inc(): void }
    /** Lines of clients that were said into the game. */
    readonly linesSaid: { inc(): void }
  }
  /** Milliseconds since 1970. */
  now(): number
  /** Now, as ISO 8601 in UTC. */
  timestamp(): string
}

export class ChatRoom<Client extends RoomClient> {
  readonly #options: RoomOptions
  readonly #clients = new Set<Client>()
  readonly #live: LiveState<Client>
  /** For each client the end of its last `chat_send`: each waits for the one before, so that the order is kept. */
  readonly #saying = new WeakMap<Client, Promise<void>>()

  constructor(options: RoomOptions) {
    this.#options = options
    this.#live = new LiveState(options, this.#clients)
  }

  /** All clients in the room, also those that have not authenticated. */
  get clients(): ReadonlySet<Client> {
    return this.#clients
  }

  /** Adds a client that connected. With a key set, call `authOverdue` after `authTimeout`. */
  enter(client: Client): void {
    this.#clients.add(client)
    this.#apply(client, opened(this.#options.keyRequired))
  }

  /** Adds clients whose sockets were open before this object was loaded again (hibernation). */
  resume(clients: Iterable<Client>): void {
    for (const client of clients) this.#clients.add(client)
    this.#live.reportFollowed()
  }

  /** Removes a client whose connection has ended. */
  leave(client: Client): void {
    if (this.#clients.delete(client)) this.#live.left(client)
  }

  /** Handles a text frame. */
  heardText(client: Client, text: string): void {
    this.#step(client, { type: 'text', text, at: this.#options.now() })
  }

  /** Handles a binary frame, which closes the connection. */
  heardBinary(client: Client): void {
    this.#step(client, { type: 'binary' })
  }

  /** Handles a protocol ping or pong. */
  heardPing(client: Client): void {
    this.#step(client, { type: 'ping', at: this.#options.now() })
  }

  /** Closes a client that has not authenticated in time; does nothing to any other. */
  authOverdue(client: Client): void {
    this.#step(client, { type: 'deadline' })
  }

  /** Closes a client's connection; what the client still sends is ignored. */
  close(client: Client, code: number, reason: string): void {
    keep(client, { session: { phase: 'closed' } })
    client.close(code, reason)
  }

  /** Publishes an event of the game: a chat line to all clients, any other to the subscribers of its topic. */
  heard(event: GameEvent): void {
    if (event.type !== 'chat') {
      this.#live.heard(event)
      return
    }
    const { lines, publish, counts } = this.#options
    publish('chat', lines.add((seq) => chatMessage(event, seq)).text)
    counts.linesRelayed.inc()
  }

  /** The game is back; what happened while it was away is unknown, so all subscribers get new snapshots. */
  gameIsBack(): void {
    this.#live.gameIsBack()
  }

  /**
   * When the next client has to be closed because the game is away, milliseconds since 1970; undefined when none has
   * to be. Call `closeForAwayGame` at that time.
   */
  get nextClose(): number | undefined {
    const health = this.#options.game.health()
    if (health.awaySince === undefined) return undefined
    let next: number | undefined
    for (const client of this.#clients) {
      const at = closeAt(client, health)
      if (at !== undefined) next = Math.min(next ?? at, at)
    }
    return next
  }

  /** Closes the clients that use neither `since` nor `subscribe`, when the game has been away for `awayWindow`. */
  closeForAwayGame(): void {
    const health = this.#options.game.health()
    if (health.awaySince === undefined) return
    const now = this.#options.now()
    for (const client of this.#clients)
      if ((closeAt(client, health) ?? Number.POSITIVE_INFINITY) <= now)
        this.#step(client, { type: 'game_away' })
  }

  #step(client: Client, input: ChatInput): void {
    const { game, keyRequired, verify, now } = this.#options
    const rules: ChatRules = {
      keyRequired,
      verify: (token) => verify(token, client.address),
      isGameAway: () => now() - (awaySince(client, game.health()) ?? now()) >= awayWindow,
    }
    this.#apply(client, step(client.state.session, input, rules))
  }

  #apply(client: Client, { state, send, task, close, refused }: ChatStep): void {
    if (state !== client.state.session) keep(client, { session: state })
    client.send(...send)
    if (close !== undefined) client.close(close.code, close.reason)
    if (refused !== undefined) this.#options.refused(client, refused.code, refused.lines)
    if (task !== undefined) this.#do(client, task)
  }

  #do(client: Client, task: ChatTask): void {
    switch (task.do) {
      case 'listen':
        this.#listen(client, task.since)
        return
      case 'say': {
        const before = this.#saying.get(client) ?? Promise.resolve()
        this.#saying.set(
          client,
          before.then(() => this.#say(client, task)),
        )
        return
      }
      case 'subscribe':
        this.#live.subscribe(client, task.topics)
    }
  }

  #listen(client: Client, since: number | undefined): void {
    const { lines } = this.#options
    const heardFrom = client.state.heardFrom ?? lines.next
    if (client.state.heardFrom === undefined) keep(client, { heardFrom })
    if (since === undefined) return
    const { gap, lines: missed } = lines.missedSince(since)
    // Lines from `heardFrom` on were sent to the client when they were said; no line is sent twice.
    const texts = missed.filter(({ seq }) => seq < heardFrom).map(({ text }) => text)
    client.send(...(gap === undefined ? [] : [gapMessage(gap.from, gap.to)]), ...texts)
  }

  async #say(client: Client, { author, lines, id }: Extract<ChatTask, { do: 'say' }>): Promise<void> {
    const { game, counts, refused } = this.#options
    const notSaid = await sayLines(game, author, lines, () => counts.linesSaid.inc())
    if (notSaid !== undefined) {
      client.send(errorMessage(notSaid.code, notSaid.error, id))
      refused(client, notSaid.code, notSaid.lines)
    } else if (id !== undefined) client.send(chatSent(id))
  }
}

function keep(client: RoomClient, change: Partial<ClientState>): void {
  client.state = { ...client.state, ...change }
}

/** Milliseconds in which a client that connects while the game is away can send `since` or `subscribe`. */
const newClientWindow = 2000

/** Since when the game is away, milliseconds since 1970; undefined while it is not away. */
function awaySince({ connectedAt }: RoomClient, { awaySince: since, snapshotAt }: GameHealth) {
  // A game that never answered this process has been away at least since the client connected. The client may have
  // connected before this process, or this object, started.
  return since !== undefined && snapshotAt === undefined ? Math.min(since, connectedAt) : since
}

/** When a client has to be closed because the game is away, milliseconds since 1970; undefined for no such time. */
function closeAt(client: RoomClient, health: GameHealth): number | undefined {
  const { session } = client.state
  const since = awaySince(client, health)
  if (since === undefined || session.phase !== 'open' || session.stays) return undefined
  return Math.max(since + awayWindow, client.connectedAt + newClientWindow)
}
