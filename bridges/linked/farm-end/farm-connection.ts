/** One link at the farm, from its first frame to its last. The socket is a parameter, so that tests need none. */
import type { FarmUpkeep } from '../../../handlers/farm-upkeep.ts'
import type { GameBridge } from '../../../handlers/game-bridge.ts'
import { isGameEvent, type RoomEvent } from '../../../handlers/game-event.ts'
import type { Status } from '../../../handlers/game-records.ts'
import type { Records } from '../../../handlers/records.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { NamedKey } from '../../../lib/keys.ts'
import { keyChanges } from '../key-digests.ts'
import {
  type EdgeFrame,
  frameText,
  linkCloseCodes,
  protocolVersion,
  type Received,
  readEdgeFrame,
} from '../protocol.ts'
import type { ChatOutbox } from './chat-outbox.ts'
import type { EdgeLimits } from './edge-limits.ts'
import type { LogOutbox } from './log-outbox.ts'
import type { RpcServer } from './rpc-server.ts'
import { statusFeed } from './status-feed.ts'

/** The part of a socket that a link uses. */
export interface LinkSocket {
  send(text: string): void
  close(code: number, reason: string): void
  /** Bytes that wait in the socket. */
  readonly buffered: number
}

/** Bytes waiting in the socket above which events wait, and above which the link is closed. */
const slow = { events: 256 * 1024, link: 16 * 1024 * 1024 } as const

export interface ConnectionParts extends Pick<Clock, 'monotonic'> {
  readonly game: Pick<GameBridge, 'health'>
  readonly records: Pick<Records, 'state'>
  /** Makes the server of the link's calls (`rpcServer`). */
  readonly calls: (send: (text: string) => void, misused: () => void) => RpcServer
  readonly limits: Pick<EdgeLimits, 'takesFrame'>
  readonly outbox: ChatOutbox
  /** The game's log; undefined where it cannot be read. */
  readonly log: Pick<LogOutbox, 'watch'> | undefined
  readonly run: string
  readonly status: Status
  /** Whether chat lines may be stored. */
  readonly keepsChat: boolean
  /** The named keys; undefined until they are known. */
  readonly keys: () => readonly NamedKey[] | undefined
  /** What the fleet's operator watches; left out where nothing is known of it. */
  readonly upkeep?: (() => FarmUpkeep) | undefined
  /** Called when the edge has accepted the link. */
  readonly onWelcome: () => void
}

export type FarmConnection = ReturnType<typeof farmConnection>

/** Sends the hello at once. Frames that come after this end closed the connection are ignored. */
export function farmConnection(socket: LinkSocket, parts: ConnectionParts) {
  const { game, limits, outbox, run } = parts
  let isClosed = false
  const close = (code: number, reason: string) => {
    isClosed = true
    calls.stop()
    socket.close(code, reason)
  }
  const isDraining = () => {
    if (!isClosed && socket.buffered > slow.link) close(linkCloseCodes.flooded, 'The edge does not drain')
    return !isClosed
  }
  const send = (text: string) => {
    if (isDraining()) socket.send(text)
  }
  const sendIfQuick = (text: string): boolean => {
    if (isClosed || socket.buffered > slow.events) return false
    socket.send(text)
    return true
  }
  const calls = parts.calls(send, () =>
    close(linkCloseCodes.notUnderstood, 'Too many calls with wrong arguments'),
  )
  const senders = { send, sendIfQuick }
  const feed = statusFeed(game, parts.records, parts.status, senders, parts.monotonic, parts.upkeep)
  let welcomed = false
  const changesOf = keyChanges()
  const sendKeys = () => {
    const named = parts.keys()
    if (!welcomed || isClosed || named === undefined) return
    const keys = changesOf(named)
    if (keys !== undefined) send(frameText({ type: 'keys', ...keys }))
  }
  const pushLines = () => {
    if (welcomed && !isClosed && socket.buffered <= slow.events)
      for (const line of outbox.next()) socket.send(line)
  }
  /** Handles a frame. @returns whether it makes or ends a call: such frames have separate limits */
  const taken = (frame: Received<EdgeFrame>['frame']): boolean => {
    switch (frame.type) {
      case 'welcome':
        welcomed = true
        outbox.resume(frame.heard, frame.newest)
        parts.onWelcome()
        sendKeys()
        pushLines()
        return false
      case 'call':
        feed.look()
        return calls.call(frame)
      case 'cancel':
        return calls.cancel(frame.id)
      case 'heard':
        outbox.confirm(frame.n)
        pushLines()
        return false
      case 'numbers':
        pushLines()
        send(frameText({ type: 'numbers', next: outbox.numbers.next }))
        return false
      case 'watch':
        feed.watch(frame.topics)
        parts.log?.watch(frame.topics.includes('log') ? sendIfQuick : undefined)
        return false
      case 'look':
        feed.look()
        return false
      case 'unknown':
        if (frame.id !== undefined) calls.refuse(frame.id)
        return false
      case 'pong':
        return false
    }
  }
  const countFrame = () => {
    if (!limits.takesFrame()) close(linkCloseCodes.flooded, 'Too many frames')
  }
  send(
    frameText({
      type: 'hello',
      version: protocolVersion,
      run,
      status: feed.status,
      health: feed.health,
      numbers: outbox.numbers,
      ...(!parts.keepsChat && { keepsChat: false as const }),
    }),
  )
  return {
    /** @param text undefined for a binary frame */
    receive(text: string | undefined) {
      if (isClosed) return
      if (text === undefined) return close(1003, 'Text frames only')
      const { frame } = readEdgeFrame(text) ?? {}
      // The first frame, and no other, is a welcome. The platform may answer a heartbeat before the object welcomes.
      const isInTurn = frame?.type === 'pong' || (frame?.type === 'welcome') !== welcomed
      if (frame === undefined || !isInTurn) close(linkCloseCodes.notUnderstood, 'Not what this protocol says')
      else if (!taken(frame)) countFrame()
    },
    /** Call this for each protocol ping and pong. */
    pinged() {
      if (!isClosed) countFrame()
    },
    event(event: RoomEvent) {
      if (event.type === 'chat' || event.type === 'missed') pushLines()
      else if (isGameEvent(event) && welcomed) feed.event(event)
    },
    /** Call this after each change of the named keys. */
    keysChanged: sendKeys,
    /** Call this every second. */
    check() {
      if (!isDraining() || !welcomed) return
      pushLines()
      feed.check()
    },
    /** Call this when the socket is closed. */
    closed() {
      isClosed = true
      parts.log?.watch(undefined)
      calls.stop()
    },
  }
}
