/** The bridge at the edge: implements the port over a link that the farm's machine opened (bridges/linked/README.md). */
import { type ArgsOf, callsOf, type ResultOf } from '../../../handlers/ability.ts'
import { topics as everyTopic, type Followed } from '../../../handlers/chat/messages.ts'
import type { Say } from '../../../handlers/chat/say.ts'
import type { ChatOutage } from '../../../handlers/chat-outage.ts'
import { FarmError, failureOf } from '../../../handlers/farm-error.ts'
import type { FarmUpkeep } from '../../../handlers/farm-upkeep.ts'
import { gameReads, type ReadName } from '../../../handlers/game-abilities.ts'
import type { GameReads } from '../../../handlers/game-bridge.ts'
import { type ChatEvent, isGameEvent, type RoomEvent } from '../../../handlers/game-event.ts'
import type { Status } from '../../../handlers/game-records.ts'
import { type After, type Clock, systemClock } from '../../../lib/clock.ts'
import {
  type LinkedPorts,
  type LinkedRecords,
  linkCalls,
  type RecordCallName,
  recordCalls,
} from '../calls.ts'
import { forwarding, sayLimits } from '../forwarded-call.ts'
import type { KeyDigest } from '../key-digests.ts'
import { linkCloseCodes, silence } from '../protocol.ts'
import { type EdgeConnection, type EdgeSocket, edgeConnection, type LinkState } from './edge-connection.ts'
import { type Forward, type ForwardingLink, forwardOver } from './forward.ts'
import { RpcClient } from './rpc-client.ts'
import { StatusReplica, type StatusReplicaStore } from './status-replica.ts'

export interface LinkedStore extends StatusReplicaStore {
  /**
   * A farm is linked.
   * @param run the name of its process
   * @param from the first number that it can send
   * @returns the farm's number of its last stored line (0 for none), and the greatest `seq` that was shown
   */
  follow(run: string, from: number): { readonly heard: number; readonly newest: number }
  /** Stores line `n` of the farm under its `seq`. @returns what clients get: nothing for a stored line */
  addLine(run: string, n: number, line: ChatEvent): readonly RoomEvent[]
  /** Stores an outage of the chat. @returns what clients get: nothing for a stored one */
  addOutage(outage: ChatOutage): readonly RoomEvent[]
  /** The greatest `seq` that was shown, or left out by the farm; 0 while none is known. */
  newest(): number
  /** Whether the text of chat lines may be stored. */
  keepChat(keeps: boolean): void
}

export interface LinkedGame extends GameReads {
  /** What the edge itself records and checks at the farm, over the same link. */
  readonly records: LinkedRecords
  /** Lets the farm dispatch an endpoint, over the same link. */
  readonly forward: Forward
  /** Lets the farm say a client's message, over the same link. */
  readonly say: Say
  /** A link was accepted, or restored after hibernation. The newest one wins. */
  connected(socket: EdgeSocket, state: LinkState, onState: (state: LinkState) => void): void
  received(socket: EdgeSocket, text: string): void
  disconnected(socket: EdgeSocket): void
  /** As `subscribe`, but does not ask the farm for any topic; `watch` does. */
  hear(listener: (event: RoomEvent) => void): () => void
  /** Asks the farm for every event of these topics, in addition to those of `subscribe`. */
  watch(topics: readonly Followed[]): void
  /** Closes a link whose heartbeats have stopped. @returns whether the farm is linked */
  isLinked(): boolean
  /** Asks the farm, once it is linked, which numbers it has given to chat lines; then calls `onNumbers`. */
  askNumbers(): void
  /** As `status`, but without a `look` to the farm. */
  lastStatus(): Status
  /** As the farm sent it last; undefined where nothing is known of it. */
  upkeep(): FarmUpkeep | undefined
  /** Drops the link without closing its socket, and reads the status and health from the store again. */
  forget(): void
}

export interface LinkedOptions extends Pick<Clock, 'now'> {
  readonly store: LinkedStore
  /** Whether a link was restored after hibernation: the farm is then online. */
  readonly isResumed: boolean
  /** First id of a call; greater than every id used before the object was last loaded. */
  readonly firstCall: number
  /** Called when the farm sends its named keys. */
  readonly onKeys?: (keys: readonly KeyDigest[], gone?: readonly string[]) => void
  /** Called when a link was closed because the farm sent what it may not: it may not dial again at once. */
  readonly onMisused?: () => void
  /** Called when the farm reports the number of its next chat line. */
  readonly onNumbers?: (next: number) => void
  /** The machine's own timers unless given. */
  readonly after?: After
}

export function linkedGame({
  store,
  isResumed,
  now,
  firstCall,
  onKeys = () => undefined,
  onNumbers = () => undefined,
  onMisused = () => undefined,
  after = systemClock.after,
}: LinkedOptions): LinkedGame {
  let replica = new StatusReplica(store, isResumed, now)
  const calls = new RpcClient(firstCall, after)
  const listeners = new Map<(event: RoomEvent) => void, 'all' | 'hears'>()
  let wanted: readonly Followed[] = []
  let link: EdgeConnection | undefined
  let isClosed = false

  const emit = (events: readonly RoomEvent[]) => {
    for (const event of events) for (const listener of [...listeners.keys()]) listener(event)
  }
  const watchTopics = () =>
    link?.watch([...listeners.values()].includes('all') ? [...new Set([...everyTopic, ...wanted])] : wanted)
  const dropLink = () => {
    link?.stop()
    link = undefined
    calls.lose()
  }
  /** @param lastSeenAt when the farm last sent a frame or heartbeat, milliseconds since 1970 */
  const lost = (lastSeenAt: number) => {
    const wasOpen = link?.isOpen === true
    dropLink()
    if (wasOpen) emit(replica.linkLost(lastSeenAt))
  }
  /** The link, if it is open and its heartbeats arrive. */
  const linked = (): EdgeConnection | undefined => {
    if (link === undefined || isClosed) return undefined
    const lastSeenAt = link.lastSeenAt()
    if (now() - lastSeenAt > silence) {
      link.socket.close(linkCloseCodes.silent, 'No heartbeat')
      lost(lastSeenAt)
      return undefined
    }
    return link.isOpen ? link : undefined
  }
  const lastStatus = () => replica.status(linked()?.lastSeenAt())
  const call: ForwardingLink['call'] = async (name, ability, args) => {
    const up = linked()
    if (up === undefined) throw new FarmError({ kind: 'unavailable' })
    return up.call(name, ability, args)
  }
  const ask = <Name extends keyof LinkedPorts>(name: Name, args: ArgsOf<LinkedPorts, Name>) =>
    call<ArgsOf<LinkedPorts, Name>, ResultOf<LinkedPorts, Name>>(name, linkCalls[name], args)
  const askRecords: typeof ask = (name, args) =>
    ask(name, args).catch((error: unknown) => {
      throw error instanceof FarmError ? new FarmError(failureOf('records', error.failure)) : error
    })

  return {
    connected(socket, state, onState) {
      const before = link
      link = edgeConnection(socket, state, {
        calls,
        now,
        after,
        onState,
        stored: ({ run, numbers }) => store.follow(run, numbers.from),
        onHello({ status, health, keepsChat, numbers }) {
          store.keepChat(keepsChat !== false)
          onNumbers(numbers.next)
          watchTopics()
          emit(replica.setStatus(status))
          emit(replica.setHealth(health))
        },
        onStatus: (status) => emit(replica.setStatus(status)),
        onHealth: (health) => emit(replica.setHealth(health)),
        onEvent: (event) => emit([event]),
        onLog: emit,
        onLine: (run, n, line) => emit(store.addLine(run, n, line)),
        onMissed: (outage) => emit(store.addOutage(outage)),
        onNumbers,
        onKeys,
        onAnswer: () => replica.seen(),
        onGivenUp(code) {
          lost(now())
          if (code === linkCloseCodes.notUnderstood) onMisused()
        },
      })
      if (before !== undefined) {
        before.stop()
        if (before.isOpen) replica.seen()
        before.socket.close(linkCloseCodes.replaced, 'A newer link took over')
        calls.lose()
      }
      if (isClosed) socket.close(1001, 'Closed')
    },
    received(socket, text) {
      if (link?.socket === socket) link.receive(text)
    },
    disconnected(socket) {
      if (link?.socket === socket) lost(now())
    },
    hear(listener) {
      listeners.set(listener, 'hears')
      return () => void listeners.delete(listener)
    },
    watch(topics) {
      wanted = topics
      watchTopics()
    },
    records: {
      state: () => replica.recordsState(linked() !== undefined),
      ...callsOf<LinkedPorts, RecordCallName>(recordCalls, askRecords),
    },
    forward: forwardOver({ call, cancel: (id) => linked()?.cancel(id) }),
    say: (message) => call(forwarding.say, sayLimits(message), [message]),
    isLinked: () => linked() !== undefined,
    askNumbers: () => linked()?.askNumbers(),
    lastStatus,
    upkeep: () => replica.upkeep(),
    forget() {
      dropLink()
      emit(replica.show(undefined))
      replica = new StatusReplica(store, false, now)
    },

    health: () => replica.health(linked() !== undefined, calls.size),
    async status() {
      linked()?.look()
      return lastStatus()
    },
    ...callsOf<LinkedPorts, ReadName>(gameReads, ask),
    subscribe(listener) {
      const own = (event: RoomEvent) => isGameEvent(event) && listener(event)
      listeners.set(own, 'all')
      watchTopics()
      return () => {
        listeners.delete(own)
        watchTopics()
      }
    },
    async close() {
      isClosed = true
      link?.socket.close(1001, 'Closed')
      lost(now())
      listeners.clear()
    },
  }
}
