/** The edge's calls at a farm, and an edge that makes them. */
import { setImmediate as turn } from 'node:timers/promises'
import { edgeLimits } from '../../../bridges/linked/farm-end/edge-limits.ts'
import { rpcServer } from '../../../bridges/linked/farm-end/rpc-server.ts'
import type { FarmDispatch } from '../../../bridges/linked/forwarded-call.ts'
import type { GameBridge } from '../../../handlers/game-bridge.ts'
import { apiKeyHolder, scopes } from '../../../handlers/key-holder.ts'
import type { Records } from '../../../handlers/records.ts'
import type { Log } from '../../../lib/log.ts'
import { dispatchOf } from '../../edge/farm-dispatch.ts'
import { silent } from '../../logs.ts'
import { memoryRecords } from '../../records/memory-records.ts'

interface Given {
  readonly records?: Records
  readonly dispatch?: FarmDispatch | undefined
  readonly rates?: { readonly reads: number; readonly writes: number }
  readonly log?: Log
}

/** What answers the calls of each link of a farm. @param now milliseconds */
export function servedCalls(
  game: GameBridge,
  now: () => number,
  {
    records = memoryRecords(),
    dispatch = dispatchOf(game, { records }),
    rates = { reads: 0, writes: 0 },
    log = silent,
  }: Given = {},
) {
  const limits = edgeLimits(rates, silent, now)
  return { records, limits, calls: rpcServer({ game, records, dispatch, limits, log, monotonic: now }) }
}

/** A write that the edge forwards: sets the time. */
export const timeCall = (value: number) => {
  const from = { requestId: 'of the test', address: '192.0.2.7' }
  const holder = { ...apiKeyHolder(), scopes: [...scopes] }
  const call = { operationId: 'setTime', search: `value=${value}`, holder, from, takesDiscord: false }
  return { method: 'dispatch', args: [call] } as const
}

export function callingEdge({ calls }: ReturnType<typeof servedCalls>) {
  const sent: string[] = []
  const server = calls(
    (text) => sent.push(text),
    () => undefined,
  )
  let id = 0
  return {
    server,
    /** Makes one call after another. @returns the frame of the answer, and its second line */
    async call(method: string, ...args: readonly unknown[]) {
      id += 1
      server.call({ type: 'call', id, method, args })
      while (sent.length < id) await turn()
      const [head = '', body] = (sent[id - 1] ?? '').split('\n')
      return { frame: JSON.parse(head), answer: body === undefined ? undefined : JSON.parse(body) }
    },
  }
}
