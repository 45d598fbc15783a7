/**
 * The chat room of `/ws`: who is in it, what each client hears, and in which order. It holds no socket and no
 * timer; a runtime tells it what happened and gives it a way to reach each client. Node and the edge run the same one.
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
  /** Where chat lines are numbered and kept. */
  readonly lines: ChatLines
  readonly keyRequired: boolean
  /** Judges a key; wrong ones count for the address they came from. */
  verify(token: string, address: string): ReturnType<ChatRules['verify']>
  /** Sends a text to every client that hears the channel, in the order of the calls. */
  publish(channel: Channel, text: string): void
  /** The topics that somebody subscribed to have changed. */
  followed?(topics: readonly Topic[]): void
  /** Lines of a client were not said into the game; with `outcome_unknown` they may have been. */
  refused(client: RoomClient, code: ChatErrorCode, lines: number): void
  readonly counts: {
    /** A line of the game was told to the clients. */
    readonly linesRelayed: { inc(): void }
    /** A line of a client was said into the game. */
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
  /** The last of what each client says: its lines go into the game in the order in which they were sent. */
  readonly #saying = new WeakMap<Client, Promise<void>>()

  constructor(options: RoomOptions) {
    this.#options = options
    this.#live = new LiveState(options, this.#clients)
  }

  /** Everybody in the room, clients included that have not authenticated. */
  get clients(): ReadonlySet<Client> {
    return this.#clients
  }

  /** A client connected. With a key set, call `authOverdue` after `authTimeout`. */
  enter(client: Client): void {
    this.#clients.add(client)
    this.#apply(client, opened(this.#options.keyRequired))
  }

  /** Clients whose state outlived the memory of this process. */
  resume(clients: Iterable<Client>): void {
    for (const client of clients) this.#clients.add(client)
    this.#live.tellFollowed()
  }

  /** A client's connection has ended. */
  leave(client: Client): void {
    if (this.#clients.delete(client)) this.#live.left(client)
  }

  heardText(client: Client, text: string): void {
    this.#step(client, { type: 'text', text, at: this.#options.now() })
  }

  heardBinary(client: Client): void {
    this.#step(client, { type: 'binary' })
  }

  /** A protocol ping or pong came. */
  heardPing(client: Client): void {
    this.#step(client, { type: 'ping', at: this.#options.now() })
  }

  /** The time to authenticate is over; does nothing when the client has. */
  authOverdue(client: Client): void {
    this.#step(client, { type: 'deadline' })
  }

  /** Closes a client's connection; nothing it still sends is heard. */
  close(client: Client, code: number, reason: string): void {
    keep(client, { session: { phase: 'closed' } })
    client.close(code, reason)
  }

  /** Something happened in the game. */
  heard(event: GameEvent): void {
    if (event.type !== 'chat') {
      this.#live.heard(event)
      return
    }
    const { lines, publish, counts } = this.#options
    publish('chat', lines.add((seq) => chatMessage(event, seq)).text)
    counts.linesRelayed.inc()
  }

  /** The game was away and what happened meanwhile is not known: whoever follows it gets new snapshots. */
  gameIsBack(): void {
    this.#live.gameIsBack()
  }

  /**
   * When the next client will have to be closed because the game is away, milliseconds since 1970; undefined when
   * none will. Call `closeForAwayGame` then.
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

  /** Closes the clients that cannot be told of an away game, when it has been away long enough. */
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
    // A client that listens already has heard the later lines; none is told twice.
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

/** Milliseconds that a client has to say what it uses, when it comes while the game is away. */
const newcomerWindow = 2000

/** Since when the game is away; undefined while it is not. */
function awaySince({ connectedAt }: RoomClient, { awaySince: since, snapshotAt }: GameHealth) {
  // A game that was never heard has been away at least since the client came, however young this process is.
  return since !== undefined && snapshotAt === undefined ? Math.min(since, connectedAt) : since
}

/** When a client is to be closed because the game is away; undefined when it is not away, or the client stays. */
function closeAt(client: RoomClient, health: GameHealth): number | undefined {
  const { session } = client.state
  const since = awaySince(client, health)
  if (since === undefined || session.phase !== 'open' || session.stays) return undefined
  return Math.max(since + awayWindow, client.connectedAt + newcomerWindow)
}
