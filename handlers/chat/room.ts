/**
 * The chat room of `/ws`: its clients, what is sent to each, and in which order. It has no sockets and no timers: a
 * runtime calls it for each thing that happens, and implements `RoomClient`. Node and the edge run the same room.
 */
import type { GameReads } from '../game-bridge.ts'
import { isLogEvent, type RoomEvent } from '../game-event.ts'
import { allows, isNamed, type KeyHolder, lacks, mayHear, stillAllows } from '../key-holder.ts'
import { Audience } from './audience.ts'
import { opened, step } from './client-session.ts'
import { closeAt, refusedFrom } from './close-times.ts'
import { sayHeld } from './held-message.ts'
import type { ChatLines } from './history.ts'
import { keyLines } from './key-lines.ts'
import { LiveState } from './live-state.ts'
import { type ChatErrorCode, chatSent, errorMessage, type Followed, logMessage } from './messages.ts'
import { type Channel, keep, type RoomClient, without } from './room-client.ts'
import type { NotSaid, Say } from './say.ts'
import type { ChatInput, ChatRules, ChatStep, ChatTask } from './session-steps.ts'

export interface RoomOptions {
  readonly game: Pick<GameReads, 'health' | 'players' | 'status' | 'cabins'>
  readonly lines: ChatLines
  readonly keyRequired: boolean
  /** How many clients one named key may have at once. */
  readonly maxPerKey: number
  /** Checks a key; wrong ones are counted for the address. */
  verify(token: string, address: string): ReturnType<ChatRules['verify']>
  /** See `ChatRules`. */
  readonly current: ChatRules['current']
  /** Sends a text to every client of the channel; each client gets the texts in the order of the calls. */
  publish(channel: Channel, text: string): void
  /** Called when clients subscribe or leave. @param topics all that a client is subscribed to */
  followed?(topics: readonly Followed[]): void
  readonly say: Say
  /** Called when the game did not get lines of a client; with `outcome_unknown` it may have them. */
  refused(client: RoomClient, code: ChatErrorCode, lines: number): void
  readonly counts: {
    /** Lines of the game's chat that were sent to the clients. */
    readonly linesRelayed: { inc(): void }
    /** Lines of clients that the game got. */
    readonly linesSaid: { inc(lines: number): void }
  }
  /** Waits; the room must not be unloaded meanwhile. */
  pause(milliseconds: number): Promise<void>
  /** Milliseconds since 1970. */
  now(): number
  /** Now, as ISO 8601 in UTC. */
  timestamp(): string
}

export class ChatRoom<Client extends RoomClient> {
  readonly #options: RoomOptions
  readonly #clients = new Set<Client>()
  readonly #live: LiveState<Client>
  readonly #audience: Audience<Client>
  readonly #takeLines = keyLines()
  /** For each client the end of its last `chat_send`: each waits for the one before, so that the order is kept. */
  readonly #saying = new WeakMap<Client, Promise<void>>()

  constructor(options: RoomOptions) {
    this.#options = options
    this.#live = new LiveState(options, this.#clients)
    this.#audience = new Audience(options)
  }

  /** All clients in the room, also those that have not authenticated. */
  get clients(): ReadonlySet<Client> {
    return this.#clients
  }

  /**
   * Adds a client that connected. With a key set, call `authOverdue` after `authTimeout`.
   * @param session that the handshake has proved
   */
  enter(client: Client, session?: KeyHolder): void {
    this.#clients.add(client)
    const hasPlace = session === undefined || this.#hasPlace(client, session)
    this.#apply(client, opened(this.#options.keyRequired, session, hasPlace))
  }

  /** Adds clients whose sockets were open before this object was loaded again (hibernation). */
  resume(clients: Iterable<Client>): void {
    for (const client of clients) {
      this.#clients.add(client)
      this.#audience.resume(client)
    }
    this.#live.reportFollowed()
  }

  /** Removes a client whose connection has ended. */
  leave(client: Client): void {
    this.#audience.remove(client)
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

  /** Closes a client's connection and ignores what the client still sends. */
  close(client: Client, code: number, reason: string): void {
    keep(client, { session: { phase: 'closed' } })
    client.close(code, reason)
  }

  /** Publishes an event of the game: a chat line to all clients, any other to the subscribers of its topic. */
  heard(event: RoomEvent): void {
    if (event.type === 'chat') {
      this.#audience.heardLine(event)
      this.#options.counts.linesRelayed.inc()
    } else if (event.type === 'gap') this.#audience.heardGap(event)
    else if (event.type === 'missed') this.#audience.heardOutage(event)
    else if (isLogEvent(event)) this.#options.publish('log', logMessage(event))
    else this.#live.heard(event)
  }

  /** The game is back. Changes while it was offline are unknown, so all subscribers get new snapshots. */
  gameIsBack(): void {
    this.#live.gameIsBack()
  }

  /** The farm has given out the numbers below `next` and no others: answers the clients that are `ahead` of them. */
  numbersKnown(next: number): void {
    this.#audience.numbersKnown(next)
  }

  /**
   * When the next client must be closed because the game is offline, milliseconds since 1970; undefined for none. Call
   * `closeForOfflineGame` at that time.
   */
  get nextClose(): number | undefined {
    const health = this.#options.game.health()
    let next: number | undefined
    for (const client of this.#clients) {
      const at = closeAt(client, health)
      if (at !== undefined) next = Math.min(next ?? at, at)
    }
    return next
  }

  /** Closes the clients that use neither `since` nor `subscribe` when the game is offline (see `refusedFrom`). */
  closeForOfflineGame(): void {
    const health = this.#options.game.health()
    const now = this.#options.now()
    for (const client of this.#clients)
      if ((closeAt(client, health) ?? Number.POSITIVE_INFINITY) <= now)
        this.#step(client, { type: 'game_away' })
  }

  /** Call this when a key was made, changed or revoked, or may have expired: closes clients whose key has ended. */
  keysChanged(): void {
    for (const client of this.#clients) this.#step(client, { type: 'keys_changed' })
  }

  #step(client: Client, input: ChatInput): void {
    const { game, keyRequired, verify, current, now } = this.#options
    const rules: ChatRules = {
      keyRequired,
      current,
      verify: (token) => verify(token, client.address),
      takeLines: this.#takeLines,
      hasPlace: (holder) => this.#hasPlace(client, holder),
      isGameOffline: () => now() >= (refusedFrom(client, game.health()) ?? Number.POSITIVE_INFINITY),
    }
    this.#apply(client, step(client.state.session, input, rules))
  }

  #hasPlace(client: Client, holder: KeyHolder): boolean {
    if (!isNamed(holder)) return true
    let others = 0
    for (const other of this.#clients) {
      const { session } = other.state
      if (other !== client && session.phase === 'open' && sharesPlaces(session.holder, holder)) others += 1
    }
    return others < this.#options.maxPerKey
  }

  #apply(client: Client, { state, send, task, close, refused }: ChatStep): void {
    if (state !== client.state.session) {
      keep(client, { session: state })
      this.#withinScopes(client)
    }
    client.send(...send)
    if (close !== undefined) client.close(close.code, close.reason)
    if (refused !== undefined) this.#options.refused(client, refused.code, refused.lines)
    if (task !== undefined) this.#do(client, task)
  }

  /** Takes from a client what its key no longer allows. */
  #withinScopes(client: Client): void {
    const { session, firstSeq, ahead, topics, awaited } = client.state
    if (session.phase !== 'open') return
    if ((firstSeq ?? ahead) !== undefined && !mayHear(session.holder)) {
      keep(client, { firstSeq: undefined, ahead: undefined })
      this.#audience.remove(client)
    }
    const mayRead = allows(session.holder, 'read')
    const lost = !mayRead || (topics.includes('log') && !allows(session.holder, 'admin'))
    if (topics.length + awaited.length === 0 || !lost) return
    keep(client, mayRead ? { topics: without(topics, ['log']) } : { topics: [], awaited: [] })
    this.#live.reportFollowed()
  }

  #do(client: Client, task: ChatTask): void {
    switch (task.do) {
      case 'listen':
        this.#audience.admit(client, task.since)
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

  async #say(client: Client, task: Extract<ChatTask, { do: 'say' }>): Promise<void> {
    const { do: _, ...said } = task
    const { address, isCommand } = client
    const message = { ...said, address, ...(isCommand && { isCommand }) }
    const maySay = () => stillAllows(this.#options.current(task.holder), 'chat')
    const isThere = () => this.#clients.has(client)
    const notSaid = await sayHeld(client, message, isThere, { ...this.#options, maySay })
    const delivered = task.lines.length - (notSaid?.lines ?? 0)
    if (delivered > 0) this.#options.counts.linesSaid.inc(delivered)
    if (notSaid !== undefined) {
      const { code, lines } = notSaid
      // The close was the answer to the lines that were held.
      if (client.state.session.phase !== 'closed')
        client.send(errorMessage(code, whyNotSaid(code, delivered > 0), task.id))
      this.#options.refused(client, code, lines)
    } else if (task.id !== undefined) client.send(chatSent(task.id))
  }
}

/** @param isBegun whether the beginning of the message was delivered @returns a sentence for the client */
function whyNotSaid(code: NotSaid['code'], isBegun: boolean): string {
  if (code === 'insufficient_scope') return lacks('chat')
  if (code === 'outcome_unknown')
    return 'The answer of the game server was lost; whether the message was delivered is unknown'
  return isBegun
    ? 'The game server is no longer reachable; only the beginning of the message was delivered'
    : 'The game server is not reachable; the message was not delivered'
}

/** Any stranger can sign in: all sessions without scopes have the places of one key. */
const sharesPlaces = (one: KeyHolder, other: KeyHolder): boolean =>
  one.id === other.id || (one.scopes.length === 0 && other.scopes.length === 0)
