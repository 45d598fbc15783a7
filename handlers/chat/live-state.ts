/**
 * Live state on `/ws`: which client is subscribed to which topic. A subscriber gets a snapshot of the topic, then
 * every newer event, and no older one.
 */
import type { GameBridge } from '../game-bridge.ts'
import type { LiveEvent } from '../game-event.ts'
import type { Cabins, Players, Status } from '../game-records.ts'
import {
  errorMessage,
  eventMessage,
  type Followed,
  snapshotMessage,
  subscribedMessage,
  type Topic,
  topicOf,
  topics,
} from './messages.ts'
import { type Channel, joined, keep, type RoomClient, without } from './room-client.ts'

/** @throws {FarmError} as the read does */
function readTopic(game: Pick<GameBridge, Topic>, topic: Topic): Promise<Players | Status | Cabins> {
  switch (topic) {
    case 'players':
      return game.players()
    case 'status':
      return game.status()
    case 'cabins':
      return game.cabins()
  }
}

/** The message to a subscriber when the snapshot cannot be read now. */
const noSnapshotYet = (topic: Topic): string =>
  errorMessage('game_unavailable', `No snapshot of ${topic} yet; it follows when the game is back`)

export interface LiveStateOptions {
  readonly game: Pick<GameBridge, 'players' | 'status' | 'cabins'>
  publish(channel: Channel, text: string): void
  followed?(topics: readonly Followed[]): void
  /** Milliseconds since 1970. */
  now(): number
  /** Now, as ISO 8601 in UTC. */
  timestamp(): string
}

/** A snapshot that is being read for a client, and the events of its topic in the meantime. */
interface Read {
  readonly topic: Topic
  events: string[]
}

/** Maximum of reads of one snapshot in a row, when events come during a read. */
const maxReads = 5

const withSnapshot = (followed: readonly Followed[]): readonly Topic[] =>
  topics.filter((topic) => followed.includes(topic))

export class LiveState<Client extends RoomClient> {
  readonly #options: LiveStateOptions
  readonly #clients: ReadonlySet<Client>
  /** The current read of each client; a client has one at a time. */
  readonly #reads = new Map<Client, Read>()
  /** The number of the next event. */
  #next: number

  constructor(options: LiveStateOptions, clients: ReadonlySet<Client>) {
    this.#options = options
    this.#clients = clients
    // Microseconds since 1970: greater than every number of an earlier process, and far below 2^53.
    this.#next = options.now() * 1000
  }

  /** Confirms the subscription, then sends the snapshots one after another. */
  subscribe(client: Client, followed: readonly Followed[]): void {
    client.send(subscribedMessage(followed))
    if (followed.includes('log')) keep(client, { topics: joined(client.state.topics, ['log']) })
    this.#awaitSnapshots(client, withSnapshot(followed))
    this.reportFollowed()
    void this.#sendAwaited(client)
  }

  /** Call this when a client was removed from the room. */
  left(client: Client): void {
    if (client.state.topics.length + client.state.awaited.length > 0) this.reportFollowed()
  }

  /** Publishes an event of the game to the subscribers of its topic. */
  heard(event: LiveEvent): void {
    const topic = topicOf(event)
    const text = eventMessage(event, this.#next, this.#options.timestamp())
    this.#next += 1
    this.#options.publish(topic, text)
    for (const read of this.#reads.values()) if (read.topic === topic) read.events.push(text)
    if (event.type === 'status_changed' && event.status.isOnline) this.#catchUp()
  }

  /**
   * Sends new snapshots to all subscribers, except of the status: when the game comes back, a `status_changed` event
   * carries the whole status.
   */
  gameIsBack(): void {
    for (const client of this.#clients)
      this.#awaitSnapshots(client, without(withSnapshot(client.state.topics), ['status']))
    this.#catchUp()
  }

  /** Calls `followed` with every topic that a client in the room is subscribed to. */
  reportFollowed(): void {
    const { followed } = this.#options
    if (followed === undefined) return
    let topics: readonly Followed[] = []
    for (const { state } of this.#clients)
      topics = joined(topics, joined<Followed>(state.topics, state.awaited))
    followed(topics)
  }

  /** Marks topics as waiting for a snapshot: the client gets none of their events until the snapshot was sent. */
  #awaitSnapshots(client: Client, topics: readonly Topic[]): void {
    if (topics.length === 0) return
    const { state } = client
    keep(client, { topics: without(state.topics, topics), awaited: joined(state.awaited, topics) })
  }

  #catchUp(): void {
    for (const client of this.#clients) if (client.state.awaited.length > 0) void this.#sendAwaited(client)
  }

  async #sendAwaited(client: Client): Promise<void> {
    if (this.#reads.has(client)) return
    const failed: Topic[] = []
    for (;;) {
      const [topic] = without(client.state.awaited, failed)
      if (topic === undefined || !this.#clients.has(client)) break
      if (!(await this.#sendSnapshot(client, topic))) failed.push(topic)
    }
    this.#reads.delete(client)
  }

  /** Not when the client has left, or its key no longer allows it to follow topics. */
  #awaits(client: Client, topic: Topic): boolean {
    return this.#clients.has(client) && client.state.awaited.includes(topic)
  }

  /** @returns whether a snapshot was sent; false when the game gave none or the client no longer awaits it */
  async #sendSnapshot(client: Client, topic: Topic): Promise<boolean> {
    const { game } = this.#options
    const read: Read = { topic, events: [] }
    this.#reads.set(client, read)
    try {
      // A snapshot may lack an event that came while it was read, so it is read again.
      for (let reads = 1; ; reads += 1) {
        read.events = []
        const newest = this.#next - 1
        const snapshot = await readTopic(game, topic)
        if (!this.#awaits(client, topic)) return false
        if (read.events.length > 0 && reads < maxReads) continue
        client.send(snapshotMessage(topic, snapshot, newest, this.#options.timestamp()), ...read.events)
        break
      }
    } catch {
      if (this.#awaits(client, topic)) client.send(noSnapshotYet(topic))
      return false
    }
    const { state } = client
    keep(client, { topics: joined(state.topics, [topic]), awaited: without(state.awaited, [topic]) })
    return true
  }
}
