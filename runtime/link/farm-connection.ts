/** One link at the farm, from its first frame to its last. The socket is a parameter, so that tests need none. */
import type { GameBridge } from '../../handlers/game-bridge.ts'
import type { GameEvent } from '../../handlers/game-event.ts'
import type { Status } from '../../handlers/game-records.ts'
import type { Log } from '../log.ts'
import type { ChatOutbox } from './chat-outbox.ts'
import { frameText, linkCloseCodes, protocolVersion, readEdgeFrame } from './protocol.ts'
import { rpcServer } from './rpc-server.ts'
import { statusFeed } from './status-feed.ts'

/** The part of a socket that a link uses. */
export interface LinkSocket {
  send(text: string): void
  close(code: number, reason: string): void
  /** Bytes that wait to be sent. */
  readonly buffered: number
}

/** Bytes waiting in the socket beyond which events are held back, and beyond which the link is closed. */
const slow = { events: 256 * 1024, link: 16 * 1024 * 1024 } as const

export interface ConnectionParts {
  readonly game: GameBridge
  readonly outbox: ChatOutbox
  readonly run: string
  readonly status: Status
  readonly log: Log
  /** Called when the edge has accepted the link. */
  readonly onWelcome: () => void
  /** Milliseconds, never running backwards. */
  readonly monotonic: () => number
}

export interface FarmConnection {
  receive(text: string): void
  event(event: GameEvent): void
  /** To be called every second. */
  check(): void
  /** To be called when the socket is closed. */
  closed(): void
}

/** Sends the hello at once. */
export function farmConnection(socket: LinkSocket, parts: ConnectionParts): FarmConnection {
  const { game, outbox, run, log } = parts
  const send = (text: string) => {
    if (socket.buffered > slow.link) socket.close(linkCloseCodes.flooded, 'The edge does not drain')
    else socket.send(text)
  }
  const sendIfQuick = (text: string): boolean => {
    if (socket.buffered > slow.events) return false
    socket.send(text)
    return true
  }
  const calls = rpcServer(game, send, log)
  const feed = statusFeed(game, parts.status, { send, sendIfQuick }, parts.monotonic)
  let welcomed = false
  const pushLines = () => {
    if (welcomed && socket.buffered <= slow.events) for (const line of outbox.next()) socket.send(line)
  }
  send(frameText({ type: 'hello', version: protocolVersion, run, status: feed.status, health: feed.health }))
  return {
    receive(text) {
      const { frame } = readEdgeFrame(text) ?? {}
      switch (frame?.type) {
        case 'welcome':
          welcomed = true
          outbox.resume(frame.heard)
          parts.onWelcome()
          pushLines()
          return
        case 'call':
          feed.look()
          calls.call(frame)
          return
        case 'cancel':
          calls.cancel(frame.id)
          return
        case 'heard':
          outbox.confirm(frame.n)
          pushLines()
          return
        case 'watch':
          feed.watch(frame.topics)
          return
        case 'look':
          feed.look()
          return
        case 'pong':
          return
        case undefined:
          socket.close(linkCloseCodes.notUnderstood, 'Not a frame of this protocol')
      }
    },
    event(event) {
      if (event.type === 'chat') pushLines()
      else if (welcomed) feed.event(event)
    },
    check() {
      if (!welcomed) return
      pushLines()
      feed.check()
    },
    closed: calls.stop,
  }
}
