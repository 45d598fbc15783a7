/** An edge that an attacker controls, and a farm that is linked to it: a real WebSocket server on loopback. */

import { createServer, type IncomingMessage } from 'node:http'
import { onTestFinished } from 'vitest'
import { type VerifyClientCallbackAsync, type WebSocket, WebSocketServer } from 'ws'
import { type FarmLinkOptions, openLink } from '../../bridges/linked/farm-end/dial.ts'
import { callsOf } from '../../handlers/ability.ts'
import { FarmError } from '../../handlers/farm-error.ts'
import { type AbilityName, abilities } from '../../handlers/game-abilities.ts'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import type { GameEvent } from '../../handlers/game-event.ts'
import { neverSeen } from '../../handlers/game-records.ts'
import type { BackOff } from '../../lib/back-off.ts'
import type { ManualClock } from '../bridges/manual-clock.ts'
import { memoryChat } from '../handlers/chat/memory-chat.ts'
import { listening } from '../listening.ts'
import { type LogLine, recorder } from '../logs.ts'
import { memoryRecords, noNamedKeys } from '../records/memory-records.ts'
import { eventually } from '../wait.ts'
import { dispatchOf } from './farm-dispatch.ts'

/** A game that counts the calls that reach it, and fails each with `not_ready`: held ones only at `release`. */
export function countingGame({ holds }: { readonly holds: boolean }) {
  const made: AbilityName[] = []
  const listeners = new Set<(event: GameEvent) => void>()
  let held: (() => void)[] = []
  const game: GameBridge = {
    ...callsOf<GameBridge, AbilityName>(abilities, async (name) => {
      made.push(name)
      if (holds) await new Promise<void>((resolve) => held.push(resolve))
      throw new FarmError({ kind: 'not_ready' })
    }),
    health: () => ({ gameAvailable: true, isFrozen: false, tickCount: 1, pendingActions: 0 }),
    status: async () => neverSeen,
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    close: async () => {},
  }
  return {
    game,
    /** Emits an event of the game. @returns how many listeners received it */
    emit(event: GameEvent): number {
      for (const listener of listeners) listener(event)
      return listeners.size
    },
    /** The names of the calls that reached it. */
    made,
    release() {
      for (const end of held) end()
      held = []
    },
  }
}

interface Frame {
  readonly type: string
  readonly id?: number
  readonly n?: number
  readonly failure?: unknown
}

export interface Attacker {
  readonly ws: WebSocket
  /** Every frame of the farm, oldest first. */
  readonly heard: readonly Frame[]
  /** The code with which the link ended. */
  readonly closed: Promise<number>
  send(frame: unknown): void
}

export interface HostileEdgeOptions {
  readonly rates?: { readonly reads: number; readonly writes: number }
  /** The farm's timers and the time of its rates; unless given, the machine's timers and a time that `pass` moves. */
  readonly clock?: ManualClock
  readonly backOff?: BackOff
  /** The path of the edge's address. */
  readonly path?: string
  /** The named keys of the farm; none are known unless given. */
  readonly keys?: FarmLinkOptions['keys']
  /** Answers a handshake by `answer(true)`, or by a status and headers; or never. */
  readonly handshake?: VerifyClientCallbackAsync
}

export async function hostileEdge(
  game: GameBridge,
  {
    rates = { reads: 0, writes: 0 },
    clock,
    backOff,
    path = '',
    keys = noNamedKeys,
    handshake,
  }: HostileEdgeOptions = {},
) {
  const server = createServer()
  const attempts: IncomingMessage[] = []
  const sockets = new WebSocketServer({
    server,
    path: `${path}/link`,
    verifyClient(
      info: Parameters<VerifyClientCallbackAsync>[0],
      answer: Parameters<VerifyClientCallbackAsync>[1],
    ) {
      attempts.push(info.req)
      if (handshake === undefined) answer(true)
      else handshake(info, answer)
    },
  })
  const links: Attacker[] = []
  sockets.on('connection', (ws) => {
    const heard: Frame[] = []
    ws.on('message', (data) => heard.push(JSON.parse(String(data).split('\n')[0] ?? '')))
    ws.on('error', () => undefined)
    const closed = new Promise<number>((resolve) => ws.once('close', resolve))
    links.push({
      ws,
      heard,
      closed,
      send: (frame) => ws.send(typeof frame === 'string' ? frame : JSON.stringify(frame)),
    })
  })
  const lines: LogLine[] = []
  const address = `127.0.0.1:${await listening(server)}`
  let elapsed = 0
  let waits = 0
  const farm = openLink({
    records: memoryRecords(),
    dispatch: dispatchOf(game),
    keys,
    keepsChat: true,
    urls: [`http://${address}${path}`],
    key: 'a link key',
    game,
    chat: memoryChat(game, 1),
    log: recorder(lines),
    rates,
    run: 'run of a test',
    monotonic: clock?.now ?? (() => elapsed),
    random() {
      waits += 1
      return 0
    },
    ...(backOff !== undefined && { backOff }),
    ...(clock !== undefined && { after: clock.after }),
  })
  onTestFinished(async () => {
    const closing = farm.close()
    for (const ws of sockets.clients) ws.terminate()
    await closing
    sockets.close()
    server.close()
  })
  return {
    farm,
    address,
    lines,
    links,
    /** Every handshake of the farm, oldest first. */
    attempts,
    /** How often the farm has lost its link, or was refused one, and has begun to wait. */
    waits: () => waits,
    /** Lets time pass for the farm: for its rates only, unless it has a clock of the test. */
    pass(milliseconds: number) {
      if (clock === undefined) elapsed += milliseconds
      else clock.advance(milliseconds)
    },
    /** Waits until the farm has dialled, and welcomes it. @param heard the number of the last line that is stored */
    async link(heard = 0): Promise<Attacker> {
      const attacker = await eventually(() => {
        const newest = links.at(-1)
        if (newest === undefined || newest.heard.length === 0 || newest.ws.readyState !== newest.ws.OPEN)
          throw new Error('the farm is not linked')
        return newest
      })
      attacker.send({ type: 'welcome', generation: links.length, heard, newest: heard })
      return attacker
    },
  }
}
