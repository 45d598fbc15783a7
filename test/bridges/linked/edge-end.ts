/** The edge's end of a link: the test is the farm, and the linked game only records what it receives. */

import {
  type EdgeConnectionParts,
  edgeConnection,
  type LinkState,
} from '../../../bridges/linked/edge-end/edge-connection.ts'
import { RpcClient } from '../../../bridges/linked/edge-end/rpc-client.ts'
import { type FarmFrame, frameText } from '../../../bridges/linked/protocol.ts'
import { neverSeen } from '../../../handlers/game-records.ts'
import { manualClock } from '../manual-clock.ts'

export const health = {
  gameAvailable: true,
  isFrozen: false,
  tickCount: 1,
  pace: 60,
  records: 'ok',
} as const
export const run = 'run of a test'
export const hello = {
  type: 'hello',
  version: 1,
  run,
  status: neverSeen,
  health,
  numbers: { from: 1, next: 1 },
} as const

export function edgeEnd(state: LinkState = { generation: 3 }) {
  const clock = manualClock()
  const sent: unknown[] = []
  const closed: [code: number, reason: string][] = []
  const taken: unknown[][] = []
  const record =
    (what: keyof EdgeConnectionParts) =>
    (...values: unknown[]) =>
      void taken.push([what, ...values])
  const heartbeat = { at: clock.now() }
  const socket = {
    isOpen: true,
    send(text: string) {
      if (socket.isOpen) sent.push(JSON.parse(text))
      return socket.isOpen
    },
    close: (code: number, reason: string) => void closed.push([code, reason]),
    lastSeen: () => heartbeat.at,
  }
  const stored = { heard: 17, newest: 19 }
  const calls = new RpcClient(1000, clock.after)
  const connection = edgeConnection(socket, state, {
    calls,
    now: clock.now,
    after: clock.after,
    onState: record('onState'),
    stored(...values) {
      record('stored')(...values)
      return stored
    },
    onHello: record('onHello'),
    onStatus: record('onStatus'),
    onHealth: record('onHealth'),
    onEvent: record('onEvent'),
    onLog: record('onLog'),
    onLine: record('onLine'),
    onMissed: record('onMissed'),
    onNumbers: record('onNumbers'),
    onKeys: record('onKeys'),
    onAnswer: record('onAnswer'),
    onGivenUp: record('onGivenUp'),
  })
  return {
    clock,
    connection,
    calls,
    socket,
    heartbeat,
    closed,
    hear: (frame: FarmFrame, body?: string) => connection.receive(frameText(frame, body)),
    /** The frames since the last call. */
    sent: () => sent.splice(0),
    /** What was delivered since the last call. */
    taken: () => taken.splice(0),
  }
}

/** An edge's end that has received its hello. */
export function openEdgeEnd() {
  const end = edgeEnd()
  end.hear(hello)
  end.sent()
  end.taken()
  return end
}
