import { setImmediate as turn } from 'node:timers/promises'
import { edgeLimits } from '../../../bridges/linked/edge-limits.ts'
import { rpcServer } from '../../../bridges/linked/rpc-server.ts'
import { callsOf } from '../../../handlers/ability.ts'
import { type AbilityName, abilities } from '../../../handlers/game-abilities.ts'
import type { GameBridge } from '../../../handlers/game-bridge.ts'
import { neverSeen } from '../../../handlers/game-records.ts'
import { dispatchOf } from '../../edge/farm-dispatch.ts'
import { type LogLine, recorder, silent } from '../../logs.ts'
import { memoryRecords } from '../../records/memory-records.ts'
import { manualClock } from '../manual-clock.ts'

/** A game whose calls the test ends, and a link over which the edge calls it. */
export function servedCalls(rates = { reads: 0, writes: 0 }) {
  const clock = manualClock()
  const made: { readonly name: string; readonly args: unknown; end(outcome: unknown): void }[] = []
  const lines: LogLine[] = []
  const sent: string[] = []
  const limits = edgeLimits(rates, silent, clock.now)
  const game: GameBridge = {
    // A result or an error of any kind, as from a faulty bridge.
    ...callsOf<GameBridge, AbilityName>(
      abilities,
      (name, args) =>
        new Promise((resolve, reject) => {
          made.push({
            name,
            args,
            end: (outcome) => (outcome instanceof Error ? reject(outcome) : resolve(outcome as never)),
          })
        }),
    ),
    health: () => ({ gameAvailable: true, isFrozen: false, tickCount: 1, pendingActions: 0 }),
    status: async () => neverSeen,
    subscribe: () => () => {},
    close: async () => {},
  }
  const records = memoryRecords()
  const serverOf = rpcServer({
    game,
    records,
    dispatch: dispatchOf(game, { records }),
    limits,
    log: recorder(lines),
    monotonic: clock.now,
  })
  const connect = (send: (text: string) => void) => serverOf(send, () => true)
  const server = connect((text) => sent.push(text))
  const call = (id: number, method: string, args: unknown = []) =>
    server.call({ type: 'call', id, method, args })
  return {
    clock,
    made,
    lines,
    sent,
    server,
    call,
    connect,
    frames: () => sent.map((text): unknown => JSON.parse(text)),
    async end(index: number, outcome: unknown) {
      made[index]?.end(outcome)
      await turn()
    },
  }
}
