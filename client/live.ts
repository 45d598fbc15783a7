/** The live connection of a farm: chat in both directions, events, and a current copy of what a page shows. */

import { callAll } from './call-all.ts'
import { keepConnected, type Message } from './connection.ts'
import { FarmgateError } from './error.ts'
import { whyNotOpen } from './live-problem.ts'
import { type Mailbox, mailbox } from './mailbox.ts'
import type { ChatLine, FarmEvent, Gap, LiveState, LogEvent, Missed, Snapshots, Topic } from './messages.ts'
import { outgoingChat, type SayLine } from './outgoing-chat.ts'
import type { Server } from './request.ts'
import { afterEvent } from './snapshots.ts'
import type { SocketClass } from './socket.ts'
import type { HostLogLine } from './types.ts'

export interface LiveOptions {
  /** What to follow in addition to chat; by default all but the game's log, which needs the scope `admin`. */
  topics?: readonly (Topic | 'log')[] | undefined
  /** The `seq` of the last handled chat line: the lines after it come first, with 0 all kept ones. Unless given, none. */
  since?: number | undefined
  /** Closes the connection. */
  signal?: AbortSignal | undefined
}

type Item = ChatLine | FarmEvent | Missed

export interface LiveListeners {
  chat: (line: ChatLine) => void
  event: (event: FarmEvent) => void
  /** Chat lines of that time may be missing; once per outage. */
  missed: (time: Missed) => void
  /** Missed chat lines that the server no longer has. */
  gap: (gap: Gap) => void
  /** A line of the game's log; lines that the connection was too slow for are counted. */
  log: (line: LogEvent) => void
  state: (state: LiveState) => void
  /** A topic was read again: after connecting, and when the game is back. */
  snapshot: (topic: Topic) => void
}

/**
 * Connects at once, and again after every drop. Chat lines and events come in order and none comes twice; the chat
 * lines of a time without a connection are fetched, and a `gap` has the numbers of those that the server no longer
 * has.
 *
 * One second after the last `for await` ends, the connection closes, so that the process can end. A listener of
 * `chat`, `event`, `missed` or `log` keeps it open. The next `for await`, listener or `say` opens it again.
 */
export interface Live extends AsyncIterable<Item> {
  readonly state: LiveState
  /** As of the last snapshot and the events since; undefined before the first, and for a topic not asked for. */
  readonly status: Snapshots['status'] | undefined
  readonly players: Snapshots['players'] | undefined
  readonly cabins: Snapshots['cabins'] | undefined
  /** @returns a function that removes the listener @throws {TypeError} an unknown name */
  on<Name extends keyof LiveListeners>(name: Name, listener: LiveListeners[Name]): () => void
  /**
   * Says a message in the game as "(Web) author: message", once there is a connection.
   * @throws {FarmgateError} the code of the chat's `error`; `timeout`, not said; `outcome_unknown`, perhaps said;
   *   `closed`; `unauthorized`
   */
  say(line: SayLine, options?: { timeout?: number | undefined }): Promise<void>
  /** Ends the connection and every iteration. */
  close(): void
}

export interface LiveServer extends Server {
  readonly WebSocket: SocketClass
  /** Called once in each outage with its cause; `retry` is false when the connection is not tried again. */
  onProblem(problem: FarmgateError): void
}

/** Reasons of a close with 1008 after which this key is not accepted again. */
const finalReasons: readonly string[] = [
  'Authentication failed',
  'The key is no longer valid',
  'The farm was deleted',
]
/** The `auth_failed` of a connection so slow that `auth` came after its deadline: the key was not checked. */
const tooLate = 'Authentication timeout'
/** Listeners of these keep the connection open. */
const heard = ['chat', 'event', 'missed', 'log'] as const
const allTopics: readonly Topic[] = ['players', 'status', 'cabins']
/** Milliseconds for which an unused connection stays open, because a program may begin the next loop. */
const linger = 1_000

export function live(server: LiveServer, { topics = allTopics, since, signal }: LiveOptions = {}): Live {
  const listeners: { readonly [Name in keyof LiveListeners]: Set<LiveListeners[Name]> } = {
    chat: new Set(),
    event: new Set(),
    missed: new Set(),
    gap: new Set(),
    log: new Set(),
    state: new Set(),
    snapshot: new Set(),
  }
  const mailboxes = new Set<Mailbox<Item>>()
  const ended = new AbortController()
  let failure: FarmgateError | undefined
  let snapshots: Partial<Snapshots> = {}
  let state: LiveState = 'connecting'
  let isOpen = false
  let isAccepted = false
  let wasEverAccepted = false
  /** Attempts in a row that the server did not accept. */
  let failures = 0
  let hasReported = false
  /** Ends the present connection; aborted while nothing uses the connection. */
  let current = new AbortController()
  let lingering: ReturnType<typeof setTimeout> | undefined
  /** An iteration has ended. */
  let wasLeft = false
  /** The number of the last delivered line; undefined until the server has reported its numbering. */
  let lastSeq = since
  /** The end of the last outage that was delivered. */
  let missedUntil = ''

  const become = (next: LiveState) => {
    if (state === next) return
    state = next
    callAll(listeners.state, next)
  }
  const deliver = (item: Item) => {
    callAll(listeners[item.type] as Set<(item: Item) => void>, item)
    for (const box of mailboxes) box.put(item)
  }
  const reportGap = (gap: Gap) => callAll(listeners.gap, gap)
  const showPresence = () => become(snapshots.status?.isOnline === false ? 'away' : 'live')
  const finish = (last: 'closed' | 'refused', reason: FarmgateError) => {
    if (ended.signal.aborted) return
    if (last === 'refused') failure = reason
    become(last)
    outgoing.close(reason)
    for (const box of mailboxes) box.end(failure)
    clearTimeout(lingering)
    ended.abort()
    current.abort()
  }
  const refuse = (reason: FarmgateError) => {
    if (ended.signal.aborted) return
    finish('refused', reason)
    server.onProblem(reason)
  }
  const refuseKey = (sentence: string) => refuse(new FarmgateError('unauthorized', sentence))

  /**
   * Reports why the server did not accept a connection: the first failure at once, because its author waits for it;
   * after an accepted connection only the second failure in a row, because a restarting server is back by then.
   */
  const reportFailure = async (closedBecause: string | undefined) => {
    failures += 1
    if (hasReported || (wasEverAccepted && failures < 2)) return
    hasReported = true
    const problem =
      closedBecause === undefined
        ? await whyNotOpen(server, ended.signal)
        : new FarmgateError('unreachable', closedBecause, { retry: true })
    if (ended.signal.aborted || failures === 0) return
    // A proxy answers 404 while the server behind it restarts, so an address that has worked stays in use.
    if (problem.retry || wasEverAccepted) server.onProblem(problem)
    else refuse(problem)
  }

  /** The server has checked its messages, so their payloads are taken as the types of docs/bot.md. */
  const handlers: Readonly<Record<string, (message: Message) => void>> = {
    auth_success() {
      isAccepted = true
      wasEverAccepted = true
      failures = 0
      hasReported = false
      if (topics.length > 0) connection.send('subscribe', { topics })
      showPresence()
      outgoing.connected()
    },
    auth_failed({ error }) {
      if (error !== tooLate) refuseKey(String(error))
    },
    chat(message) {
      const line = message as unknown as ChatLine
      if (lastSeq !== undefined && line.seq <= lastSeq) return
      lastSeq = line.seq
      deliver(line)
    },
    missed(message) {
      const missed = message as unknown as Missed
      // A server sends an outage again after a drop if no line has come since.
      if (missed.to <= missedUntil) return
      missedUntil = missed.to
      deliver(missed)
    },
    gap({ type: _, topic, lines, ...rest }) {
      if (topic === 'log') return callAll(listeners.log, { missing: Number(lines) })
      const gap = rest as unknown as Gap
      const isAnswerToFirst = lastSeq === undefined
      lastSeq = gap.to
      if (!isAnswerToFirst) reportGap(gap)
    },
    snapshot(message) {
      const topic = message['topic'] as Topic
      snapshots = { ...snapshots, [topic]: message['data'] }
      showPresence()
      callAll(listeners.snapshot, topic)
    },
    event(message) {
      const { type: _, topic, ...line } = message
      if (topic === 'log') return callAll(listeners.log, line as unknown as HostLogLine)
      const event = message as unknown as FarmEvent
      snapshots = afterEvent(snapshots, event)
      showPresence()
      deliver(event)
    },
    chat_sent: ({ id }) => outgoing.answered(String(id)),
    error({ code, error, id }) {
      const retry = code === 'rate_limited' || code === 'game_unavailable'
      outgoing.answered(String(id), new FarmgateError(String(code), String(error), { retry }))
    },
  }

  const outgoing = outgoingChat((payload) => isAccepted && connection.send('chat_send', payload))
  const close = () => finish('closed', new FarmgateError('closed', 'The connection was closed'))
  if (signal?.aborted === true) close()
  signal?.addEventListener('abort', close, { signal: ended.signal })
  const open = () =>
    keepConnected({
      url: `${server.url.replace(/^http/, 'ws')}/ws`,
      WebSocket: server.WebSocket,
      signal: current.signal,
      onOpen() {
        isOpen = true
        // A number above every other gets a gap with the newest one as the answer: then no later drop loses a line.
        const token = server.key === '' ? {} : { token: server.key }
        connection.send('auth', { ...token, since: lastSeq ?? Number.MAX_SAFE_INTEGER })
      },
      onMessage(message) {
        if (Object.hasOwn(handlers, message.type)) handlers[message.type]?.(message)
      },
      onClose(code, reason) {
        const [wasOpen, wasAccepted] = [isOpen, isAccepted]
        isOpen = false
        isAccepted = false
        outgoing.disconnected()
        if (code === 1008 && finalReasons.includes(reason)) refuseKey(reason)
        if (current.signal.aborted) return wasAccepted
        become('connecting')
        const cause = `The server ended the connection${reason === '' ? '' : ` with "${reason}"`}`
        if (!wasAccepted) void reportFailure(wasOpen ? cause : undefined)
        return wasAccepted
      },
    })
  let connection = open()

  const isUsed = () =>
    mailboxes.size > 0 || heard.some((name) => listeners[name].size > 0) || outgoing.isWaiting
  const rest = () => {
    current.abort()
    become('closed')
  }
  /** Closes the connection a moment later unless it is used again. One that was never iterated over stays. */
  const release = () => {
    clearTimeout(lingering)
    if (wasLeft && !isUsed() && !ended.signal.aborted) lingering = setTimeout(rest, linger)
  }
  /** Keeps the connection, or opens it again. */
  const use = () => {
    clearTimeout(lingering)
    if (!current.signal.aborted || ended.signal.aborted) return
    current = new AbortController()
    become('connecting')
    connection = open()
  }

  return {
    get state() {
      return state
    },
    get status() {
      return snapshots.status
    },
    get players() {
      return snapshots.players
    },
    get cabins() {
      return snapshots.cabins
    },
    on(name, listener) {
      if (!Object.hasOwn(listeners, name))
        throw new TypeError(`No listener "${name}"; known: ${Object.keys(listeners).join(', ')}`)
      listeners[name].add(listener)
      if (heard.some((one) => one === name)) use()
      return () => {
        listeners[name].delete(listener)
        release()
      }
    },
    say(line, { timeout = server.timeout } = {}) {
      use()
      return outgoing.say(line, timeout).finally(release)
    },
    close,
    [Symbol.asyncIterator]() {
      use()
      const box = mailbox<Item>({
        onDropped(item) {
          if (item.type === 'chat') reportGap({ from: item.seq, to: item.seq })
        },
        onReturn() {
          mailboxes.delete(box)
          wasLeft = true
          release()
        },
      })
      mailboxes.add(box)
      if (ended.signal.aborted) box.end(failure)
      return box.iterator
    },
  }
}
