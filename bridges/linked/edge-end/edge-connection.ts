/**
 * One link at the edge, from its first frame to its last (bridges/linked/README.md). The socket is a parameter
 * (`EdgeSocket`).
 */
import type { Ability } from '../../../handlers/ability.ts'
import { maxLineNumber } from '../../../handlers/chat/line-numbers.ts'
import type { Followed } from '../../../handlers/chat/messages.ts'
import type { ChatOutage } from '../../../handlers/chat-outage.ts'
import type { FarmFailure } from '../../../handlers/farm-error.ts'
import type { ChatEvent, LiveEvent, LogEvent } from '../../../handlers/game-event.ts'
import type { Status } from '../../../handlers/game-records.ts'
import type { After, Clock } from '../../../lib/clock.ts'
import { type TokenBucket, tokensAfter } from '../../../lib/token-bucket.ts'
import type { KeyDigest } from '../key-digests.ts'
import {
  type EdgeFrame,
  type FarmFrame,
  type FarmHealth,
  frameText,
  linkCloseCodes,
  maxFarmFrame,
  protocolVersion,
  type Received,
  readFarmFrame,
} from '../protocol.ts'
import type { RpcClient } from './rpc-client.ts'

/** The edge's socket of a link. */
export interface EdgeSocket {
  /** @returns false when the socket is closed: the text was certainly not sent */
  send(text: string): boolean
  close(code: number, reason: string): void
  /** When it was accepted or its last heartbeat was answered, milliseconds since 1970. */
  lastSeen(): number
}

/** The state of a link, attached to its socket so that it survives hibernation. */
export interface LinkState {
  readonly generation: number
  /** The name of the farm's process, from its hello; undefined before the hello. */
  readonly run?: string
  /** The farm's number of the protocol, by its hello, where it is another one. */
  readonly version?: number
}

export interface EdgeConnectionParts extends Pick<Clock, 'now'> {
  readonly calls: RpcClient
  readonly after: After
  onState(state: LinkState): void
  /** @returns what the welcome reports of the stored chat lines */
  stored(hello: Hello): { readonly heard: number; readonly newest: number }
  /** Called after the welcome. */
  onHello(hello: Hello): void
  onStatus(status: Status): void
  onHealth(health: FarmHealth): void
  /** An event of a watched topic. */
  onEvent(event: LiveEvent): void
  onLog(events: readonly LogEvent[]): void
  /** A chat line, perhaps a stored one. */
  onLine(run: string, n: number, line: ChatEvent): void
  /** Lines may be missing, perhaps of a stored outage. */
  onMissed(outage: ChatOutage): void
  /** The farm has given out the numbers below `next` to chat lines, and sent these lines. */
  onNumbers(next: number): void
  /**
   * The named keys of the farm: all of them, or with `gone` only those that changed.
   * @param gone ids of the keys that were revoked
   */
  onKeys(keys: readonly KeyDigest[], gone?: readonly string[]): void
  /** The game answered a call. */
  onAnswer(): void
  /**
   * The farm broke the protocol or sent no hello: its socket was closed; ignore what it still sends.
   * @param code of the close
   */
  onGivenUp(code: number): void
}

type Hello = Extract<FarmFrame, { type: 'hello' }>

export type EdgeConnection = ReturnType<typeof edgeConnection>

/**
 * How many frames other than answers in time a farm may send: each second, and at once (more than `maxKept` lines of
 * an outbox).
 */
const frameRate: TokenBucket = { atOnce: 3000, added: 100, per: 1000 }
/** Milliseconds between two `look` frames: half the time for which the farm sends every status after one. */
const lookInterval = 60_000
/** Milliseconds in which a farm must send its hello. */
const helloTimeout = 10_000

/** The numbers of chat lines in a frame. */
function numbersOf(frame: Received<FarmFrame>['frame']): readonly number[] {
  if (frame.type === 'line') return [frame.n]
  if (frame.type === 'missed') return [frame.after]
  if (frame.type === 'numbers') return [frame.next]
  return frame.type === 'hello' ? Object.values(frame.numbers) : []
}

const unknownAnswer = { kind: 'bad_response', detail: 'an answer of another release', write: true } as const
const olderFarm = 'The one at the farm is older than the edge. Update farmgate at the farm.'
const olderEdge = 'The edge is older than the farm. Update the edge.'

/** A failure that may be that of a call which the farm does not know names the end to update. @param version the farm's */
const withOlderEnd = (failure: FarmFailure, version: number): FarmFailure =>
  failure.kind === 'unsupported' && (failure.isUnknownCall || version !== protocolVersion)
    ? { ...failure, what: `${failure.what}. ${version > protocolVersion ? olderEdge : olderFarm}` }
    : failure

/** Takes a link over a socket that was accepted, or restored after hibernation. */
export function edgeConnection(socket: EdgeSocket, state: LinkState, parts: EdgeConnectionParts) {
  const { calls, now } = parts
  let { run, version = protocolVersion } = state
  /**
   * Whether the number of the next line was requested; `again` when it was requested a second time before the answer
   * came.
   */
  let asked: 'no' | 'once' | 'again' = 'no'
  let lastFrame = 0
  let allowance = frameRate.atOnce
  let lookedAt = 0
  let watched = ''
  const send = (frame: EdgeFrame) => socket.send(frameText(frame))
  const giveUp = (code: number, reason: string) => {
    socket.close(code, reason)
    parts.onGivenUp(code)
  }
  const endHelloLimit =
    run === undefined
      ? parts.after(helloTimeout, () => giveUp(linkCloseCodes.silent, 'No hello'))
      : () => undefined
  const askNumbers = () => {
    asked = asked === 'no' ? 'once' : 'again'
    if (asked === 'once') send({ type: 'numbers' })
  }
  const hello = (frame: Hello) => {
    endHelloLimit()
    run = frame.run
    version = frame.version
    parts.onState({
      generation: state.generation,
      run,
      ...(version !== protocolVersion && { version }),
    })
    send({ type: 'welcome', generation: state.generation, ...parts.stored(frame) })
    parts.onHello(frame)
  }
  /**
   * Whether an answer without a waiting call came too late; if not, the farm made up its id and breaks the protocol.
   */
  const isLate = (id: number): boolean => {
    allowance -= 1
    return calls.isOurs(id)
  }
  /** Handles a frame. @returns false when the farm broke the protocol */
  const taken = ({ frame, body }: Received<FarmFrame>): boolean => {
    if (numbersOf(frame).some((number) => number > maxLineNumber(now()))) return false
    if (run === undefined) {
      if (frame.type !== 'hello') return false
      hello(frame)
      return true
    }
    switch (frame.type) {
      case 'hello':
        return false
      case 'answer':
        parts.onAnswer()
        return calls.answered(frame.id, body) || isLate(frame.id)
      case 'failure':
        return calls.failed(frame.id, withOlderEnd(frame.failure, version)) || isLate(frame.id)
      case 'line': {
        allowance -= 1
        const { n, playerName, message, timestamp } = frame
        parts.onLine(run, n, { type: 'chat', playerName, message, timestamp })
        send({ type: 'heard', n })
        return true
      }
      case 'missed': {
        allowance -= 1
        const { after, from, to } = frame
        parts.onMissed({ after, from, to })
        return true
      }
      case 'numbers': {
        allowance -= 1
        const wasAskedAgain = asked === 'again'
        asked = 'no'
        if (wasAskedAgain) askNumbers()
        else parts.onNumbers(frame.next)
        return true
      }
      case 'event':
        allowance -= 1
        if (frame.event.type === 'status_changed') parts.onStatus(frame.event.status)
        else parts.onEvent(frame.event)
        return true
      case 'health':
        allowance -= 1
        parts.onHealth(frame.health)
        return true
      case 'log':
        allowance -= 1
        parts.onLog(frame.events)
        return true
      case 'keys':
        allowance -= 1
        parts.onKeys(frame.keys, frame.gone)
        return true
      case 'unknown':
        allowance -= 1
        if (frame.id !== undefined) calls.failed(frame.id, unknownAnswer)
        return version !== protocolVersion
    }
  }

  return {
    socket,
    /** The farm has sent its hello, so calls are possible. */
    get isOpen(): boolean {
      return run !== undefined
    },
    /** When the farm last sent a frame or a heartbeat; milliseconds since 1970. */
    lastSeenAt: (): number => Math.max(lastFrame, socket.lastSeen()),
    receive(text: string) {
      allowance = tokensAfter(frameRate, allowance, now() - lastFrame)
      lastFrame = now()
      if (allowance < 1) return giveUp(linkCloseCodes.flooded, 'Too many frames')
      if (text.length > maxFarmFrame) return giveUp(1009, 'Frame too long')
      const read = readFarmFrame(text)
      if (read === undefined || !taken(read))
        giveUp(linkCloseCodes.notUnderstood, 'Not what this protocol says')
    },
    /** Makes a call at the farm, which also counts as a `look` there. @throws {FarmError} */
    call<Args extends readonly unknown[], Result>(
      name: string,
      ability: Omit<Ability<Args, Result>, 'args'>,
      args: Args,
    ) {
      lookedAt = now()
      return calls.call(name, ability, args, (text) => socket.send(text))
    },
    /** The edge no longer wants the answer to a call, or the stream that answers it. */
    cancel: (id: number) => void send({ type: 'cancel', id }),
    /** Call this when a client reads the status. Sends `look` to the farm, at most once a minute. */
    look() {
      if (now() - lookedAt < lookInterval) return
      lookedAt = now()
      send({ type: 'look' })
    },
    /** Asks the farm for the number of its next chat line, and calls `onNumbers` with the answer. */
    askNumbers,
    /** Asks the farm for every event of these topics from now on, and of no others. */
    watch(topics: readonly Followed[]) {
      if (run === undefined || watched === topics.join()) return
      watched = topics.join()
      send({ type: 'watch', topics: [...topics] })
    },
    /** Clears timers; does not close the socket. */
    stop: endHelloLimit,
  }
}
