/** An edge in the hands of an attacker, and a farm that is linked to it: a real WebSocket server on loopback. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { type AbilityName, abilitiesOf } from '../../handlers/game-abilities.ts'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import { GameError } from '../../handlers/game-error.ts'
import { neverSeen } from '../../handlers/game-records.ts'
import { openLink } from '../../runtime/link/dial.ts'
import { type LogLine, recorder } from '../logs.ts'
import { eventually } from '../wait.ts'

/** A game that counts the calls that reach it, and fails each with `not_ready`: those that it holds only at `release`. */
export function countingGame({ holds }: { readonly holds: boolean }) {
  const made: AbilityName[] = []
  let held: (() => void)[] = []
  const game: GameBridge = {
    ...abilitiesOf(async (name) => {
      made.push(name)
      if (holds) await new Promise<void>((resolve) => held.push(resolve))
      throw new GameError({ kind: 'not_ready' })
    }),
    health: () => ({ gameAvailable: true, isFrozen: false, tickCount: 1, pendingActions: 0 }),
    status: async () => neverSeen,
    subscribe: () => () => {},
    close: async () => {},
  }
  return {
    game,
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

export async function hostileEdge(game: GameBridge, rates = { reads: 0, writes: 0 }) {
  const server = createServer()
  const sockets = new WebSocketServer({ server, path: '/link' })
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
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const lines: LogLine[] = []
  let clock = 0
  const farm = openLink({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    key: 'a link key',
    game,
    log: recorder(lines),
    rates,
    run: 'run of a test',
    monotonic: () => clock,
    random: () => 0,
    backOff: { first: 20, max: 100 },
  })
  onTestFinished(async () => {
    await farm.close()
    for (const ws of sockets.clients) ws.terminate()
    sockets.close()
    server.close()
  })
  return {
    lines,
    links,
    /** Lets time pass for the rates of the farm; they stand still otherwise. */
    pass(milliseconds: number) {
      clock += milliseconds
    },
    /** Waits until the farm has dialled, and welcomes it. */
    async link(): Promise<Attacker> {
      const attacker = await eventually(() => {
        const newest = links.at(-1)
        if (newest === undefined || newest.heard.length === 0 || newest.ws.readyState !== newest.ws.OPEN)
          throw new Error('the farm is not linked')
        return newest
      })
      attacker.send({ type: 'welcome', generation: links.length, heard: 0 })
      return attacker
    },
  }
}
