/** Drives the chat protocol of `handlers/chat` over the object's hibernating sockets. */
import {
  chatMessage,
  eventMessage,
  gapMessage,
  snapshotMessage,
  subscribedMessage,
  type Topic,
  topicOf,
} from '../../handlers/chat/messages.ts'
import { sayLines } from '../../handlers/chat/say.ts'
import {
  authWindow,
  type ChatInput,
  type ChatStep,
  type ChatTask,
  opened,
  step,
} from '../../handlers/chat/session.ts'
import { noSnapshotYet, readTopic } from '../../handlers/chat/topic.ts'
import type { GameEvent } from '../../handlers/game-event.ts'
import { Problem } from '../../handlers/problem.ts'
import type { LinkedGame } from '../bridges/linked/linked-game.ts'
import type { Gate } from '../http/gate.ts'
import type { ChatMetrics } from '../http/metrics.ts'
import type { FarmStore } from './farm-store.ts'
import { isTooLong } from './message-size.ts'
import { Seat } from './seat.ts'

export interface ClientsOptions {
  readonly game: LinkedGame
  readonly gate: Pick<Gate, 'verify'>
  readonly store: FarmStore
  readonly metrics: ChatMetrics
  readonly maxClients: number
  /** Milliseconds since 1970. */
  readonly now: () => number
}

export class Clients {
  readonly #options: ClientsOptions
  readonly #seats = new Map<WebSocket, Seat>()
  #eventSeq: number

  /** @param sockets found again after hibernation */
  constructor(options: ClientsOptions, sockets: readonly WebSocket[]) {
    this.#options = options
    // Microseconds since 1970: beyond every number that went out before the object slept.
    this.#eventSeq = options.now() * 1000
    for (const ws of sockets) {
      const seat = Seat.found(ws)
      if (seat !== undefined) this.#seats.set(ws, seat)
    }
    options.game.hear((event) => this.#heard(event))
    this.#watch()
  }

  get listening(): number {
    let count = 0
    for (const seat of this.#seats.values()) if (seat.isListening) count += 1
    return count
  }

  /** Bytes that are kept of all sockets: what is attached to each, and its copy in memory. */
  get stateBytes(): number {
    let bytes = 0
    for (const { kept } of this.#seats.values()) bytes += 2 * JSON.stringify(kept).length
    return bytes
  }

  /** Somebody must be told when the farm goes away. */
  get hasWatchers(): boolean {
    for (const { kept } of this.#seats.values()) if (kept.topics.length + kept.owed.length > 0) return true
    return false
  }

  /** When the next client that has not authenticated must have done so; undefined when none is waiting. */
  get nextDeadline(): number | undefined {
    let first: number | undefined
    for (const { kept } of this.#seats.values())
      if (kept.state.phase === 'unauthenticated') first = Math.min(first ?? Infinity, kept.at + authWindow)
    return first
  }

  /** @throws {Problem} too_many_clients */
  admit(): void {
    if (this.#seats.size >= this.#options.maxClients)
      throw new Problem('too_many_clients', 'Too many WebSocket clients; try again later', { retryAfter: 30 })
  }

  open(ws: WebSocket, address: string): void {
    const first = opened(true)
    const seat = Seat.taken(ws, address, this.#options.now(), first.state)
    this.#seats.set(ws, seat)
    this.#apply(seat, first)
  }

  received(ws: WebSocket, message: string | ArrayBuffer): void {
    const seat = this.#seats.get(ws)
    if (seat === undefined) return
    if (isTooLong(message)) {
      seat.keep({ state: { phase: 'closed' } })
      seat.close(1009, 'Message too long')
      return
    }
    this.#step(
      seat,
      typeof message === 'string'
        ? { type: 'text', text: message, at: this.#options.now() }
        : { type: 'binary' },
    )
  }

  gone(ws: WebSocket): void {
    if (this.#seats.delete(ws)) this.#watch()
  }

  /** Ends the wait of clients that did not authenticate in time. */
  deadlinesPassed(): void {
    const due = this.#options.now() - authWindow
    for (const seat of this.#seats.values())
      if (seat.kept.state.phase === 'unauthenticated' && seat.kept.at <= due)
        this.#step(seat, { type: 'deadline' })
  }

  closeAll(code: number, reason: string): void {
    for (const seat of this.#seats.values()) {
      seat.keep({ state: { phase: 'closed' } })
      seat.close(code, reason)
    }
  }

  #step(seat: Seat, input: ChatInput): void {
    const verify = (token: string) => this.#options.gate.verify(token, seat.kept.address)
    this.#apply(seat, step(seat.kept.state, input, { keyRequired: true, verify }))
  }

  #apply(seat: Seat, { state, send, task, close }: ChatStep): void {
    if (state !== seat.kept.state) seat.keep({ state })
    for (const text of send) seat.send(text)
    if (close !== undefined) seat.close(close.code, close.reason)
    if (task !== undefined) this.#do(seat, task)
  }

  #do(seat: Seat, task: ChatTask): void {
    switch (task.do) {
      case 'listen':
        this.#listen(seat, task.since)
        return
      case 'say':
        seat.saying = (seat.saying ?? Promise.resolve()).then(() => this.#say(seat, task.author, task.lines))
        return
      case 'subscribe': {
        seat.send(subscribedMessage(task.topics))
        seat.keep({ owed: [...new Set([...seat.kept.owed, ...task.topics])] })
        this.#watch()
        void this.#snapshots(seat)
      }
    }
  }

  #listen(seat: Seat, since: number | undefined): void {
    const { store } = this.#options
    if (seat.kept.heardFrom === 0) seat.keep({ heardFrom: store.nextLine(this.#firstLine()) })
    if (since === undefined) return
    // Who listens already has heard the later lines; none is told twice.
    const { gap, lines } = store.missedSince(since, this.#firstLine())
    if (gap !== undefined) seat.send(gapMessage(gap.from, gap.to))
    for (const { seq, text } of lines) if (seq < seat.kept.heardFrom) seat.send(text)
  }

  async #say(seat: Seat, author: string, lines: readonly string[]): Promise<void> {
    const { game, metrics } = this.#options
    const failure = await sayLines(game, author, lines, () => metrics.linesSaid.inc())
    if (failure !== undefined) seat.send(failure)
  }

  /** Sends the snapshots a client is owed; the link keeps order, so what comes after one is newer than it. */
  async #snapshots(seat: Seat): Promise<void> {
    for (const topic of [...seat.kept.owed]) {
      try {
        const snapshot = await readTopic(this.#options.game, topic)
        if (!seat.kept.owed.includes(topic)) continue
        seat.send(snapshotMessage(topic, snapshot, this.#eventSeq - 1, this.#timestamp()))
        seat.keep({
          owed: seat.kept.owed.filter((other) => other !== topic),
          topics: [...new Set([...seat.kept.topics, topic])],
        })
      } catch {
        seat.send(noSnapshotYet(topic))
      }
    }
  }

  #heard(event: GameEvent): void {
    const { store, metrics } = this.#options
    if (event.type === 'chat') {
      const { text } = store.addLine((seq) => chatMessage(event, seq), this.#firstLine())
      for (const seat of this.#seats.values()) if (seat.isListening) seat.send(text)
      metrics.linesRelayed.inc()
      return
    }
    const topic = topicOf(event)
    const text = eventMessage(event, this.#eventSeq, this.#timestamp())
    this.#eventSeq += 1
    for (const seat of this.#seats.values()) if (seat.kept.topics.includes(topic)) seat.send(text)
    if (event.type === 'status_changed' && event.status.isOnline) this.#caughtUp()
  }

  /** Snapshots for whoever is still owed one. */
  #caughtUp(): void {
    for (const seat of this.#seats.values()) if (seat.kept.owed.length > 0) void this.#snapshots(seat)
  }

  /** The farm was away: what happened meanwhile is in new snapshots of what each client follows. */
  farmIsBack(): void {
    for (const seat of this.#seats.values()) {
      const { topics, owed } = seat.kept
      const missed = topics.filter((topic) => topic !== 'status' && !owed.includes(topic))
      if (missed.length > 0) seat.keep({ owed: [...owed, ...missed] })
    }
    this.#caughtUp()
  }

  /** Makes the farm tell what somebody follows, and no more. */
  #watch(): void {
    const followed = new Set<Topic>()
    for (const { kept } of this.#seats.values())
      for (const topic of [...kept.topics, ...kept.owed]) followed.add(topic)
    this.#options.game.watch([...followed].sort())
  }

  /** A farm's first line is numbered by the time, in microseconds; from then on they count up. */
  readonly #firstLine = () => this.#options.now() * 1000
  readonly #timestamp = () => new Date(this.#options.now()).toISOString()
}
