/** One link at the edge, from its first frame to its last (docs/link.md); knows no sockets of the platform. */
import type { Topic } from '../../handlers/chat/messages.ts'
import type { AbilityName, ArgsOf, ResultOf } from '../../handlers/game-abilities.ts'
import type { GameEvent } from '../../handlers/game-event.ts'
import type { Status } from '../../handlers/game-records.ts'
import {
  type EdgeFrame,
  type FarmFrame,
  type FarmHealth,
  frameText,
  linkCloseCodes,
  longestFrame,
  readFarmFrame,
} from './protocol.ts'
import type { RpcClient } from './rpc-client.ts'

/** The edge's socket of a link. */
export interface EdgeSocket {
  /** @returns false when the socket is gone, so that the text surely was not sent */
  send(text: string): boolean
  close(code: number, reason: string): void
  /** When it was accepted or its last heartbeat was answered, milliseconds since 1970. */
  lastSeen(): number
}

/** What survives of a link while its object sleeps. */
export interface LinkState {
  readonly generation: number
  /** The farm's process, by the name that it gave in its hello; undefined until then. */
  readonly run?: string
}

export interface EdgeConnectionParts {
  readonly calls: RpcClient
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** The last chat line kept of a run of the farm's process; 0 for none. */
  heard(run: string): number
  onState(state: LinkState): void
  onHello(status: Status, health: FarmHealth): void
  onStatus(status: Status): void
  onHealth(health: FarmHealth): void
  /** A chat line that was not heard before, or an event of a watched topic. */
  onEvent(event: GameEvent): void
  onLine(run: string, n: number, line: Extract<GameEvent, { type: 'chat' }>): void
  /** The game answered a call. */
  onAnswer(): void
  /** The farm did not keep to the protocol: the socket is closed and nothing more of it is heard. */
  onGivenUp(): void
}

export interface EdgeConnection {
  readonly socket: EdgeSocket
  /** The farm has said hello: it can be asked. */
  readonly isOpen: boolean
  /** When anything last came from the farm, heartbeats included; milliseconds since 1970. */
  heardAt(): number
  receive(text: string): void
  /** Asks the game; counts as a look. @throws {GameError} */
  call<Name extends AbilityName>(name: Name, args: ArgsOf<Name>): Promise<ResultOf<Name>>
  /** Somebody looks at the status. The farm is told at most once a minute. */
  look(): void
  /** Has every event of these topics told from now on, and of no others. */
  watch(topics: readonly Topic[]): void
  /** Lets go of timers; closes nothing. */
  stop(): void
}

/** Frames nobody asked for that a link may send: a second for long, and at once (more than an outbox holds). */
const flood = { perSecond: 100, burst: 3000 } as const
/** Milliseconds between two looks: half the time for which the farm tells everything after one. */
const lookEvery = 60_000
const helloWithin = 10_000

export function edgeConnection(
  socket: EdgeSocket,
  state: LinkState,
  parts: EdgeConnectionParts,
): EdgeConnection {
  const { calls, now } = parts
  let { run } = state
  let lastFrame = 0
  let allowance: number = flood.burst
  let lookedAt = 0
  let watched = ''
  const send = (frame: EdgeFrame) => socket.send(frameText(frame))
  const helloLimit =
    run === undefined
      ? setTimeout(() => socket.close(linkCloseCodes.silent, 'No hello'), helloWithin)
      : undefined

  const giveUp = (code: number, reason: string) => {
    socket.close(code, reason)
    parts.onGivenUp()
  }
  const hello = (frame: Extract<FarmFrame, { type: 'hello' }>) => {
    clearTimeout(helloLimit)
    run = frame.run
    parts.onState({ generation: state.generation, run })
    send({ type: 'welcome', generation: state.generation, heard: parts.heard(run) })
    parts.onHello(frame.status, frame.health)
  }
  const line = (from: string, { n, ...rest }: Extract<FarmFrame, { type: 'line' }>) => {
    if (n > parts.heard(from)) {
      const { playerName, message, timestamp } = rest
      parts.onLine(from, n, { type: 'chat', playerName, message, timestamp })
    }
    send({ type: 'heard', n })
  }
  /** An answer that nobody waits for came too late. Only a farm that breaks the protocol makes up an id. */
  const isLate = (id: number): boolean => {
    allowance -= 1
    return calls.isOurs(id)
  }
  /** @returns whether the farm keeps to the protocol */
  const taken = (frame: FarmFrame, body: string | undefined): boolean => {
    if (run === undefined || frame.type === 'hello') {
      if (run !== undefined || frame.type !== 'hello') return false
      hello(frame)
      return true
    }
    switch (frame.type) {
      case 'answer':
        parts.onAnswer()
        return calls.answered(frame.id, body) || isLate(frame.id)
      case 'failure':
        return calls.failed(frame.id, frame.failure) || isLate(frame.id)
      case 'line':
        allowance -= 1
        line(run, frame)
        return true
      case 'event':
        allowance -= 1
        if (frame.event.type === 'status_changed') parts.onStatus(frame.event.status)
        else parts.onEvent(frame.event)
        return true
      case 'health':
        allowance -= 1
        parts.onHealth(frame.health)
        return true
    }
  }

  return {
    socket,
    get isOpen() {
      return run !== undefined
    },
    heardAt: () => Math.max(lastFrame, socket.lastSeen()),
    receive(text) {
      allowance = Math.min(flood.burst, allowance + ((now() - lastFrame) * flood.perSecond) / 1000)
      lastFrame = now()
      if (allowance < 1) return giveUp(linkCloseCodes.flooded, 'Too many frames')
      if (text.length > longestFrame) return giveUp(1009, 'Frame too long')
      const read = readFarmFrame(text)
      if (read === undefined || !taken(read.frame, read.body))
        giveUp(linkCloseCodes.notUnderstood, 'Not what this protocol says')
    },
    call(name, args) {
      lookedAt = now()
      return calls.call(name, args, (text) => socket.send(text))
    },
    look() {
      if (now() - lookedAt < lookEvery) return
      lookedAt = now()
      send({ type: 'look' })
    },
    watch(topics) {
      if (run === undefined || watched === topics.join()) return
      watched = topics.join()
      send({ type: 'watch', topics: [...topics] })
    },
    stop: () => clearTimeout(helloLimit),
  }
}
