/** The game on the far side of a link that its machine dialled: the port, spoken over a socket (contract section 6). */
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
  frameText,
  linkCloseCodes,
  longestFrame,
  type OriginFrame,
  readOriginFrame,
  silence,
} from '../../link/protocol.ts'
import { type After, RpcClient } from '../../link/rpc-client.ts'
import { Told, type ToldStore } from './told.ts'

/** The edge's end of a link. */
export interface EdgeSocket {
  /** @returns false when the socket is gone, so that the text surely was not sent */
  send(text: string): boolean
  close(code: number, reason: string): void
  /** When it was accepted or its last heartbeat was answered, milliseconds since 1970. */
  lastSeen(): number
}

export interface LinkedStore extends ToldStore {
  /** The last line kept of a run of the origin; 0 for none. */
  heard(run: string): number
  /** Called in one turn with the listeners that keep the line itself. */
  keepHeard(run: string, n: number): void
}

/** What survives of a link while its object sleeps. */
export interface LinkState {
  readonly generation: number
  /** Undefined until it said hello. */
  readonly run?: string
}

export interface LinkedGame extends GameBridge {
  /** A link was accepted, or found again after hibernation. The newest one wins. */
  connected(socket: EdgeSocket, state: LinkState, onState: (state: LinkState) => void): void
  received(socket: EdgeSocket, text: string): void
  disconnected(socket: EdgeSocket): void
  /** As `subscribe`, but by itself makes the origin tell nothing: `watch` says what is needed. */
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
  readonly after?: After
}

interface Link {
  readonly socket: EdgeSocket
  readonly generation: number
  run: string | undefined
  onState: (state: LinkState) => void
  lastFrame: number
  allowance: number
  lookedAt: number
  helloLimit?: ReturnType<typeof setTimeout>
}

/** Frames nobody asked for that a link may send: a second for long, and at once (more than an outbox holds). */
const flood = { perSecond: 100, burst: 3000 } as const
/** Milliseconds between two looks: half of what the origin makes of one. */
const lookEvery = 60_000
const helloWithin = 10_000

const later: After = (milliseconds, run) => {
  const timer = setTimeout(run, milliseconds)
  return () => clearTimeout(timer)
}

export function linkedGame({ store, isResumed, now, firstCall, after = later }: LinkedOptions): LinkedGame {
  let told = new Told(store, isResumed, now)
  const calls = new RpcClient(firstCall, after)
  const listeners = new Map<(event: GameEvent) => void, 'all' | 'hears'>()
  let wanted: readonly Topic[] = []
  let watched = ''
  let link: Link | undefined
  let isClosed = false

  const emit = (events: readonly GameEvent[]) => {
    for (const event of events) for (const listener of [...listeners.keys()]) listener(event)
  }
  const tellTopics = () => {
    const topics = [...listeners.values()].includes('all') ? everyTopic : wanted
    if (link?.run === undefined || watched === topics.join()) return
    watched = topics.join()
    link.socket.send(frameText({ type: 'watch', topics: [...topics] }))
  }
  const letGo = () => {
    clearTimeout(link?.helloLimit)
    link = undefined
    calls.lose()
  }
  /** @param heardAt when the farm was last heard on the link */
  const lost = (heardAt: number) => {
    const saidHello = link?.run !== undefined
    letGo()
    if (saidHello) emit(told.linkLost(heardAt))
  }
  const heardOn = ({ lastFrame, socket }: Link) => Math.max(lastFrame, socket.lastSeen())
  /** The link, when one is up and its heartbeats come. */
  const linked = (): Link | undefined => {
    if (link === undefined || isClosed) return undefined
    const heardAt = heardOn(link)
    if (now() - heardAt > silence) {
      link.socket.close(linkCloseCodes.silent, 'No heartbeat')
      lost(heardAt)
      return undefined
    }
    return link.run === undefined ? undefined : link
  }
  /** Ends a link that does not keep to the protocol; nothing more of it is heard. */
  const giveUp = (up: Link, code: number, reason: string) => {
    up.socket.close(code, reason)
    lost(now())
  }
  const look = () => {
    const up = linked()
    if (up === undefined || now() - up.lookedAt < lookEvery) return
    up.lookedAt = now()
    up.socket.send(frameText({ type: 'look' }))
  }
  const ask = async <M extends AbilityName>(method: M, args: ArgsOf<M>): Promise<ResultOf<M>> => {
    const up = linked()
    if (up === undefined) throw new GameError({ kind: 'unavailable' })
    // A call counts as a look at the other end.
    up.lookedAt = now()
    return calls.call(method, args, (text) => up.socket.send(text))
  }

  const hello = (up: Link, { run, status, health }: Extract<OriginFrame, { type: 'hello' }>) => {
    clearTimeout(up.helloLimit)
    up.run = run
    watched = ''
    up.onState({ generation: up.generation, run })
    up.socket.send(frameText({ type: 'welcome', generation: up.generation, heard: store.heard(run) }))
    tellTopics()
    emit(told.tellStatus(status))
    emit(told.tellHealth(health))
  }
  const line = (up: Link, run: string, { n, ...rest }: Extract<OriginFrame, { type: 'line' }>) => {
    if (n > store.heard(run)) {
      store.keepHeard(run, n)
      const { playerName, message, timestamp } = rest
      emit([{ type: 'chat', playerName, message, timestamp }])
    }
    up.socket.send(frameText({ type: 'heard', n }))
  }
  /** A late answer is nobody's; an id that was never given out is no mistake of an honest origin. */
  const unasked = (up: Link, id: number): boolean => {
    up.allowance -= 1
    return calls.isOurs(id)
  }
  const taken = (up: Link, frame: OriginFrame, body: string | undefined): boolean => {
    if (up.run === undefined || frame.type === 'hello') {
      if (up.run !== undefined || frame.type !== 'hello') return false
      hello(up, frame)
      return true
    }
    switch (frame.type) {
      case 'answer':
        told.seen()
        return calls.answered(frame.id, body) || unasked(up, frame.id)
      case 'failure':
        return calls.failed(frame.id, frame.failure) || unasked(up, frame.id)
      case 'line':
        up.allowance -= 1
        line(up, up.run, frame)
        return true
      case 'event':
        up.allowance -= 1
        if (frame.event.type === 'status_changed') emit(told.tellStatus(frame.event.status))
        else emit([frame.event])
        return true
      case 'health':
        up.allowance -= 1
        emit(told.tellHealth(frame.health))
        return true
    }
  }

  return {
    connected(socket, { generation, run }, onState) {
      const before = link
      link = { socket, generation, run, onState, lastFrame: 0, allowance: flood.burst, lookedAt: 0 }
      if (before !== undefined) {
        clearTimeout(before.helloLimit)
        if (before.run !== undefined) told.seen()
        before.socket.close(linkCloseCodes.replaced, 'A newer link took over')
        calls.lose()
      }
      if (isClosed) socket.close(1001, 'Closed')
      else if (run === undefined)
        link.helloLimit = setTimeout(() => socket.close(linkCloseCodes.silent, 'No hello'), helloWithin)
    },
    received(socket, text) {
      const up = link
      if (up?.socket !== socket) return
      const earned = ((now() - up.lastFrame) * flood.perSecond) / 1000
      up.allowance = Math.min(flood.burst, up.allowance + earned)
      up.lastFrame = now()
      if (up.allowance < 1) return giveUp(up, linkCloseCodes.flooded, 'Too many frames')
      if (text.length > longestFrame) return giveUp(up, 1009, 'Frame too long')
      const read = readOriginFrame(text)
      if (read === undefined || !taken(up, read.frame, read.body))
        giveUp(up, linkCloseCodes.notUnderstood, 'Not what this protocol says')
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
      tellTopics()
    },
    isLinked: () => linked() !== undefined,
    forget() {
      letGo()
      emit(told.show(undefined))
      told = new Told(store, false, now)
    },

    health: () => told.health(linked() !== undefined, calls.size),
    async status() {
      look()
      const up = linked()
      return told.status(up && heardOn(up))
    },
    ...abilitiesOf(ask),
    subscribe(listener) {
      const own = (event: GameEvent) => listener(event)
      listeners.set(own, 'all')
      tellTopics()
      return () => {
        listeners.delete(own)
        tellTopics()
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
