/** The game on the far side of a link that its machine dialled: the port, spoken over a socket (docs/link.md). */
import { topics as everyTopic, type Topic } from '../../../handlers/chat/messages.ts'
import {
  type AbilityName,
  type ArgsOf,
  abilitiesOf,
  type ResultOf,
} from '../../../handlers/game-abilities.ts'
import type { GameBridge } from '../../../handlers/game-bridge.ts'
import { GameError } from '../../../handlers/game-error.ts'
import type { GameEvent } from '../../../handlers/game-event.ts'
import {
  type EdgeConnection,
  type EdgeSocket,
  edgeConnection,
  type LinkState,
} from '../../link/edge-connection.ts'
import { linkCloseCodes, silence } from '../../link/protocol.ts'
import { type After, RpcClient } from '../../link/rpc-client.ts'
import { StatusReplica, type StatusReplicaStore } from '../../link/status-replica.ts'

export interface LinkedStore extends StatusReplicaStore {
  /** The last chat line kept of a run of the farm's process; 0 for none. */
  heard(run: string): number
  /** Called in one turn with the listeners that keep the line itself. */
  keepHeard(run: string, n: number): void
}

export interface LinkedGame extends GameBridge {
  /** A link was accepted, or found again after hibernation. The newest one wins. */
  connected(socket: EdgeSocket, state: LinkState, onState: (state: LinkState) => void): void
  received(socket: EdgeSocket, text: string): void
  disconnected(socket: EdgeSocket): void
  /** As `subscribe`, but by itself makes the farm tell nothing: `watch` says what is needed. */
  hear(listener: (event: GameEvent) => void): () => void
  watch(topics: readonly Topic[]): void
  /** Ends a link on which heartbeats have ceased. @returns whether the farm is linked */
  isLinked(): boolean
  /** Lets go of the link, and takes anew from the store what is known of the game. */
  forget(): void
}

export interface LinkedOptions {
  readonly store: LinkedStore
  /** Whether a link was found again: then the farm is not away, only its object slept. */
  readonly isResumed: boolean
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Beyond the ids of earlier lives. */
  readonly firstCall: number
  /** The machine's own timers unless given. */
  readonly after?: After
}

const later: After = (milliseconds, run) => {
  const timer = setTimeout(run, milliseconds)
  return () => clearTimeout(timer)
}

export function linkedGame({ store, isResumed, now, firstCall, after = later }: LinkedOptions): LinkedGame {
  let replica = new StatusReplica(store, isResumed, now)
  const calls = new RpcClient(firstCall, after)
  const listeners = new Map<(event: GameEvent) => void, 'all' | 'hears'>()
  let wanted: readonly Topic[] = []
  let link: EdgeConnection | undefined
  let isClosed = false

  const emit = (events: readonly GameEvent[]) => {
    for (const event of events) for (const listener of [...listeners.keys()]) listener(event)
  }
  const watchTopics = () => link?.watch([...listeners.values()].includes('all') ? everyTopic : wanted)
  const letGo = () => {
    link?.stop()
    link = undefined
    calls.lose()
  }
  /** @param heardAt when the farm was last heard on the link */
  const lost = (heardAt: number) => {
    const wasOpen = link?.isOpen === true
    letGo()
    if (wasOpen) emit(replica.linkLost(heardAt))
  }
  /** The link, when one is up and its heartbeats come. */
  const linked = (): EdgeConnection | undefined => {
    if (link === undefined || isClosed) return undefined
    const heardAt = link.heardAt()
    if (now() - heardAt > silence) {
      link.socket.close(linkCloseCodes.silent, 'No heartbeat')
      lost(heardAt)
      return undefined
    }
    return link.isOpen ? link : undefined
  }
  const ask = async <Name extends AbilityName>(name: Name, args: ArgsOf<Name>): Promise<ResultOf<Name>> => {
    const up = linked()
    if (up === undefined) throw new GameError({ kind: 'unavailable' })
    return up.call(name, args)
  }

  return {
    connected(socket, state, onState) {
      const before = link
      link = edgeConnection(socket, state, {
        calls,
        now,
        heard: (run) => store.heard(run),
        onState,
        onHello(status, health) {
          watchTopics()
          emit(replica.tellStatus(status))
          emit(replica.tellHealth(health))
        },
        onStatus: (status) => emit(replica.tellStatus(status)),
        onHealth: (health) => emit(replica.tellHealth(health)),
        onEvent: (event) => emit([event]),
        onLine(run, n, line) {
          store.keepHeard(run, n)
          emit([line])
        },
        onAnswer: () => replica.seen(),
        onGivenUp: () => lost(now()),
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
    isLinked: () => linked() !== undefined,
    forget() {
      letGo()
      emit(replica.show(undefined))
      replica = new StatusReplica(store, false, now)
    },

    health: () => replica.health(linked() !== undefined, calls.size),
    async status() {
      linked()?.look()
      return replica.status(linked()?.heardAt())
    },
    ...abilitiesOf(ask),
    subscribe(listener) {
      const own = (event: GameEvent) => listener(event)
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
