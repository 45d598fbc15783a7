/**
 * Live state on `/ws`: who follows which topic. A subscriber gets a snapshot of the topic, then every event that is
 * newer than the snapshot, and none that is older.
 */
import type { GameBridge } from '../game-bridge.ts'
import type { GameEvent } from '../game-event.ts'
import { eventMessage, snapshotMessage, subscribedMessage, type Topic, topicOf } from './messages.ts'
import { type Channel, joined, type RoomClient, without } from './room-client.ts'
import { noSnapshotYet, readTopic } from './topic.ts'

export interface LiveStateOptions {
  readonly game: Pick<GameBridge, 'players' | 'status' | 'cabins'>
  publish(channel: Channel, text: string): void
  followed?(topics: readonly Topic[]): void
  /** Milliseconds since 1970. */
  now(): number
  /** Now, as ISO 8601 in UTC. */
  timestamp(): string
}

/** A snapshot on its way to a client, and the events of its topic that came while it was read. */
interface Read {
  readonly topic: Topic
  events: string[]
}

/** Most reads of one snapshot in a row, when events come while it is read. */
const maxReads = 5

export class LiveState<Client extends RoomClient> {
  readonly #options: LiveStateOptions
  readonly #clients: ReadonlySet<Client>
  /** Clients whose snapshots are being read: one at a time for each. */
  readonly #reads = new Map<Client, Read>()
  /** The number of the next event. */
  #next: number

  constructor(options: LiveStateOptions, clients: ReadonlySet<Client>) {
    this.#options = options
    this.#clients = clients
    // Microseconds since 1970: beyond every number of an earlier run, and far below 2^53.
    this.#next = options.now() * 1000
  }

  subscribe(client: Client, topics: readonly Topic[]): void {
    client.send(subscribedMessage(topics))
    this.#awaitSnapshots(client, topics)
    this.tellFollowed()
    void this.#sendAwaited(client)
  }

  left(client: Client): void {
    if (client.state.topics.length + client.state.awaited.length > 0) this.tellFollowed()
  }

  heard(event: Exclude<GameEvent, { type: 'chat' }>): void {
    const topic = topicOf(event)
    const text = eventMessage(event, this.#next, this.#options.timestamp())
    this.#next += 1
    this.#options.publish(topic, text)
    for (const read of this.#reads.values()) if (read.topic === topic) read.events.push(text)
    if (event.type === 'status_changed' && event.status.isOnline) this.#catchUp()
  }

  /** The status is told by its own event when the game comes back; the other topics are read again. */
  gameIsBack(): void {
    for (const client of this.#clients) this.#awaitSnapshots(client, without(client.state.topics, ['status']))
    this.#catchUp()
  }

  tellFollowed(): void {
    const { followed } = this.#options
    if (followed === undefined) return
    let topics: readonly Topic[] = []
    for (const { state } of this.#clients) topics = joined(topics, joined(state.topics, state.awaited))
    followed(topics)
  }

  /** From now on a client hears nothing of these topics until it got their snapshot. */
  #awaitSnapshots(client: Client, topics: readonly Topic[]): void {
    if (topics.length === 0) return
    const { state } = client
    client.state = {
      ...state,
      topics: without(state.topics, topics),
      awaited: joined(state.awaited, topics),
    }
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

  /** @returns whether the game gave one */
  async #sendSnapshot(client: Client, topic: Topic): Promise<boolean> {
    const { game } = this.#options
    const read: Read = { topic, events: [] }
    this.#reads.set(client, read)
    try {
      // Whether a snapshot shows an event that came while it was read cannot be known: it is read again.
      for (let reads = 1; ; reads += 1) {
        read.events = []
        const newest = this.#next - 1
        const snapshot = await readTopic(game, topic)
        if (!this.#clients.has(client)) return false
        if (read.events.length > 0 && reads < maxReads) continue
        client.send(snapshotMessage(topic, snapshot, newest, this.#options.timestamp()), ...read.events)
        break
      }
    } catch {
      client.send(noSnapshotYet(topic))
      return false
    }
    const { state } = client
    client.state = {
      ...state,
      topics: joined(state.topics, [topic]),
      awaited: without(state.awaited, [topic]),
    }
    return true
  }
}
