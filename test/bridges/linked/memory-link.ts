/** Both ends of a link in memory; the test controls the frames on the way between them. */
import { setImmediate as turn } from 'node:timers/promises'
import type { EdgeSocket } from '../../../bridges/linked/edge-end/edge-connection.ts'
import type { LinkedGame } from '../../../bridges/linked/edge-end/linked-game.ts'
import type { ChatOutbox } from '../../../bridges/linked/farm-end/chat-outbox.ts'
import { farmConnection } from '../../../bridges/linked/farm-end/farm-connection.ts'
import type { FarmDispatch } from '../../../bridges/linked/forwarded-call.ts'
import type { GameBridge } from '../../../handlers/game-bridge.ts'
import { neverSeen } from '../../../handlers/game-records.ts'
import { servedCalls } from './calling-edge.ts'

interface Ends {
  readonly edge: LinkedGame
  readonly game: GameBridge
  readonly dispatch?: FarmDispatch
  /** The number of the link; a newer one is greater. */
  readonly generation: number
  /** The lines of the farm's process, which `run` names. */
  readonly outbox: ChatOutbox
  readonly run?: string
  /** Milliseconds since 1970, for both ends. */
  readonly now?: () => number
}

export function memoryLink({
  edge,
  game,
  dispatch,
  generation,
  outbox,
  run = 'run of a test',
  now = Date.now,
}: Ends) {
  const onTheWay: (() => void)[] = []
  const closed: number[] = []
  let isCut = false
  let heartbeatAt = now()
  /** Frames that have not arrived are lost. */
  const end = () => {
    isCut = true
    onTheWay.length = 0
    connection.closed()
  }
  const close = (code: number) => {
    closed.push(code)
    end()
    onTheWay.push(() => edge.disconnected(edgeSocket))
  }
  const edgeSocket: EdgeSocket = {
    send(text) {
      if (!isCut) onTheWay.push(() => connection.receive(text))
      return !isCut
    },
    close,
    lastSeen: () => heartbeatAt,
  }
  edge.connected(edgeSocket, { generation }, () => {})
  const connection = farmConnection(
    {
      buffered: 0,
      send(text) {
        if (!isCut) onTheWay.push(() => edge.received(edgeSocket, text))
      },
      close,
    },
    {
      game,
      ...servedCalls(game, now, { dispatch }),
      keys: () => undefined,
      outbox,
      log: undefined,
      run,
      status: neverSeen,
      keepsChat: true,
      monotonic: now,
      onWelcome: () => {},
    },
  )
  return {
    connection,
    edgeSocket,
    cut() {
      end()
      edge.disconnected(edgeSocket)
    },
    /** The codes with which either end closed it. */
    closed,
    /** The platform answers a heartbeat of the farm. */
    heartbeat() {
      heartbeatAt = now()
    },
    /** Delivers the next frame, and what follows from it. */
    async step() {
      onTheWay.shift()?.()
      await turn()
    },
    /** Delivers all frames. */
    async settle() {
      do {
        onTheWay.shift()?.()
        await turn()
      } while (onTheWay.length > 0)
    },
  }
}
