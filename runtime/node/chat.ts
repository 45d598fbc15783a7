/** Drives the chat protocol of `handlers/chat` over Node's sockets. */
import type { Socket } from 'node:net'
import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { WSEvents } from 'hono/ws'
import type { WebSocket } from 'ws'
import { ChatHistory } from '../../handlers/chat/history.ts'
import {
  chatMessage,
  closeCodes,
  eventMessage,
  gapMessage,
  snapshotMessage,
  subscribedMessage,
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
import type { GameBridge } from '../../handlers/game-bridge.ts'
import type { GameEvent } from '../../handlers/game-event.ts'
import { Problem } from '../../handlers/problem.ts'
import type { Caller } from '../http/caller.ts'
import type { Gate } from '../http/gate.ts'
import type { ChatMetrics } from '../http/metrics.ts'
import { ChatClient } from './chat-client.ts'
import { FanOut, type Listener } from './fan-out.ts'
import { textFrame } from './frame.ts'

export interface ChatOptions {
  readonly game: GameBridge
  readonly gate: Pick<Gate, 'verify'>
  readonly keyRequired: boolean
  readonly maxClients: number
  readonly metrics: ChatMetrics
  /** Milliseconds since 1970. */
  now(): number
  monotonic(): number
}

/** Seconds between two protocol pings to one client, and pings in a row that may go without a sign of life. */
const pingEvery = 30
const mostMissed = 2
/** Most bytes that wait in one socket, answers to the client's own messages included. */
const queueBytes = 1024 * 1024

export class Chat {
  readonly #options: ChatOptions
  readonly #history: ChatHistory
  readonly #fanOut: FanOut
  readonly #clients = new Set<ChatClient>()
  readonly #unsubscribe: () => void
  readonly #everySecond: NodeJS.Timeout
  #handshakes = 0
  #second = 0
  #eventSeq: number

  constructor(options: ChatOptions) {
    this.#options = options
    // Microseconds since 1970: beyond every number of an earlier run, and far below 2^53.
    const firstSeq = options.now() * 1000
    this.#history = new ChatHistory(firstSeq)
    this.#eventSeq = firstSeq
    this.#fanOut = new FanOut({ monotonic: options.monotonic, queueBytes })
    this.#unsubscribe = options.game.subscribe((event) => this.#heard(event))
    this.#everySecond = setInterval(() => this.#tick(), 1000)
    this.#everySecond.unref()
  }

  /** Clients that hear the chat. */
  get listening(): number {
    return this.#fanOut.size
  }

  /** Takes a place for a handshake; `open` follows in any case. @throws {Problem} too_many_clients */
  admit(): void {
    if (this.#clients.size + this.#handshakes >= this.#options.maxClients)
      throw new Problem('too_many_clients', 'Too many WebSocket clients; try again later', { retryAfter: 30 })
    this.#handshakes += 1
  }

  /** What the upgrade helper is given for one handshake. */
  readonly events = (c: Context<{ Bindings: HttpBindings }>, caller: Caller): WSEvents<WebSocket> => {
    let client: ChatClient | undefined
    return {
      onOpen: (_event, { raw }) => {
        this.#handshakes -= 1
        if (raw?.readyState === raw?.OPEN && raw !== undefined)
          client = this.#open(raw, c.env.incoming.socket, caller.address)
      },
      onMessage: ({ data }) => {
        if (client === undefined) return
        client.missedPings = 0
        this.#step(
          client,
          typeof data === 'string'
            ? { type: 'text', text: data, at: this.#options.now() }
            : { type: 'binary' },
        )
      },
      onClose: () => {
        if (client !== undefined) this.#gone(client)
      },
    }
  }

  /** Sends everybody what is queued, then closes with 1001. */
  close(): void {
    this.#unsubscribe()
    clearInterval(this.#everySecond)
    for (const client of this.#clients) {
      if (client.member !== undefined) this.#fanOut.finish(client.member)
      client.ws.close(closeCodes.goingAway, 'Server is stopping')
    }
  }

  /** Drops connections that did not answer the close. */
  terminate(): void {
    for (const { ws } of this.#clients) ws.terminate()
  }

  #open(ws: WebSocket, socket: Socket, address: string): ChatClient {
    const { keyRequired } = this.#options
    const client = new ChatClient(ws, socket, address, { phase: 'unauthenticated' }, this.#second)
    this.#clients.add(client)
    socket.setNoDelay(true)
    ws.on('pong', () => {
      client.missedPings = 0
    })
    if (keyRequired) client.deadline = setTimeout(() => this.#step(client, { type: 'deadline' }), authWindow)
    this.#apply(client, opened(keyRequired))
    return client
  }

  #step(client: ChatClient, input: ChatInput): void {
    const { gate, keyRequired } = this.#options
    const verify = (token: string) => gate.verify(token, client.address)
    this.#apply(client, step(client.state, input, { keyRequired, verify }))
  }

  #apply(client: ChatClient, { state, send, task, close }: ChatStep): void {
    client.state = state
    if (state.phase !== 'unauthenticated') clearTimeout(client.deadline)
    for (const text of send) this.#send(client, text)
    if (close !== undefined) {
      if (client.member !== undefined) this.#fanOut.leave(client.member)
      client.ws.close(close.code, close.reason)
    }
    if (task !== undefined) this.#do(client, task)
  }

  #do(client: ChatClient, task: ChatTask): void {
    switch (task.do) {
      case 'listen':
        this.#listen(client, task.since)
        return
      case 'say':
        client.saying = client.saying.then(() => this.#say(client, task.author, task.lines))
        return
      case 'subscribe':
        this.#send(client, subscribedMessage(task.topics))
        for (const topic of task.topics) client.owed.add(topic)
        void this.#snapshots(client)
    }
  }

  #listen(client: ChatClient, since: number | undefined): void {
    const first = client.member === undefined
    if (first) {
      client.heardFrom = this.#history.next
      client.member = this.#fanOut.join(this.#listener(client))
    }
    if (since === undefined) return
    // Who listens already has heard the later lines; none is told twice.
    const { gap, lines } = this.#history.missedSince(since)
    if (gap !== undefined) this.#send(client, gapMessage(gap.from, gap.to))
    client.socket.cork()
    for (const { seq, text } of lines) if (seq < client.heardFrom) client.socket.write(textFrame(text))
    client.socket.uncork()
    if (client.member !== undefined) this.#fanOut.watch(client.member)
  }

  async #say(client: ChatClient, author: string, lines: readonly string[]): Promise<void> {
    const { game, metrics } = this.#options
    const failure = await sayLines(game, author, lines, () => metrics.linesSaid.inc())
    if (failure !== undefined) this.#send(client, failure)
  }

  /** Sends the snapshots a client is owed; what happens while they are read comes after them. */
  async #snapshots(client: ChatClient): Promise<void> {
    const { member } = client
    if (member === undefined || member.paused) return
    this.#fanOut.pause(member)
    const seq = this.#eventSeq - 1
    for (const topic of client.owed) {
      try {
        const snapshot = await readTopic(this.#options.game, topic)
        this.#send(client, snapshotMessage(topic, snapshot, seq, this.#timestamp()))
        client.owed.delete(topic)
        member.channels.add(topic)
      } catch {
        this.#send(client, noSnapshotYet(topic))
      }
    }
    this.#fanOut.resume(member)
  }

  #heard(event: GameEvent): void {
    if (event.type === 'chat') {
      this.#fanOut.publish('chat', this.#history.add((seq) => chatMessage(event, seq)).text)
      this.#options.metrics.linesRelayed.inc()
      return
    }
    this.#fanOut.publish(topicOf(event), eventMessage(event, this.#eventSeq, this.#timestamp()))
    this.#eventSeq += 1
    if (event.type === 'status_changed' && event.status.isOnline)
      for (const client of this.#clients) if (client.owed.size > 0) void this.#snapshots(client)
  }

  #send(client: ChatClient, text: string): void {
    if (client.ws.readyState !== client.ws.OPEN) return
    client.ws.send(text)
    if (client.member !== undefined) this.#fanOut.watch(client.member)
    if (client.socket.writableLength > queueBytes) this.#tooSlow(client)
  }

  #listener(client: ChatClient): Listener {
    return {
      socket: client.socket,
      isOpen: () => client.ws.readyState === client.ws.OPEN,
      tooSlow: () => this.#tooSlow(client),
    }
  }

  #tooSlow(client: ChatClient): void {
    this.#options.metrics.closedSlow.inc()
    if (client.member !== undefined) this.#fanOut.leave(client.member)
    client.state = { phase: 'closed' }
    client.ws.close(closeCodes.tryAgainLater, 'Too slow')
  }

  #gone(client: ChatClient): void {
    clearTimeout(client.deadline)
    client.state = { phase: 'closed' }
    if (client.member !== undefined) this.#fanOut.leave(client.member)
    this.#clients.delete(client)
  }

  /** Each client is pinged in one second out of thirty, so that thousands are not all pinged in one. */
  #tick(): void {
    this.#fanOut.dropSlow()
    this.#second = (this.#second + 1) % pingEvery
    for (const client of this.#clients) {
      if (client.pingSecond !== this.#second || client.ws.readyState !== client.ws.OPEN) continue
      if (client.missedPings >= mostMissed) client.ws.terminate()
      else {
        client.missedPings += 1
        client.ws.ping()
      }
    }
  }

  readonly #timestamp = () => new Date(this.#options.now()).toISOString()
}
