import * as v from 'valibot'
import { cause, shownCause } from '../cause.ts'
import { described, docs } from '../described.ts'
import { endpoint } from '../endpoint.ts'
import type { GameHealth } from '../game-bridge.ts'
import { connections, timestamp } from '../game-records.ts'
import { withoutKey } from '../key-holder.ts'
import type { RecordsState } from '../records.ts'

export const health = endpoint('GET /health', {
  access: 'public',
  tag: 'Server',
  operationId: 'getHealth',
  summary: docs(
    'Whether this process serves, and the last known state of the game; always 200, without a call to the game',
  ),
  anyOrigin: true,
  isProbe: true,
  result: v.object({
    status: v.picklist(['ok', 'degraded']),
    timestamp,
    lastTickMs: v.optional(described(docs('Milliseconds since the last tick of the game.'), v.number())),
    pendingActions: v.number(),
    gameAvailable: described(docs('The game answers and has a farm loaded.'), v.boolean()),
    tickCount: v.number(),
    isFrozen: v.boolean(),
    isStale: v.optional(
      described(
        docs("The game's answers are old: it saves a night that its status does not show, or it is frozen."),
        v.literal(true),
      ),
    ),
    records: described(
      docs("`failed`: farmgate's records (keys, audit, history) are not written to its disk."),
      v.picklist(['ok', 'failed']),
    ),
    // Newer game servers report their connections to Steam and GOG Galaxy.
    ...connections.entries,
    cause: v.exactOptional(cause),
    keyless: v.optional(described(docs('No key is set; absent where a key is needed.'), v.literal(true))),
  }),
  example: docs({
    status: 'ok',
    timestamp: '2026-11-21T12:00:00.000Z',
    lastTickMs: 12,
    pendingActions: 0,
    gameAvailable: true,
    tickCount: 98123,
    isFrozen: false,
    records: 'ok',
  }),
  handle: ({ now, holder }, { game, records }) => ({
    ...healthRecord(game.health(), records.state(), now),
    ...(holder?.id === withoutKey.id && { keyless: true as const }),
  }),
})

/** @param now ISO 8601 UTC with milliseconds */
export function healthRecord(
  {
    gameAvailable,
    isWithoutFarm,
    isFrozen,
    isStale,
    lastTickMs,
    tickCount,
    pendingActions,
    connections,
    cause,
  }: GameHealth,
  records: RecordsState,
  now: string,
) {
  return {
    status: gameAvailable && !isFrozen ? ('ok' as const) : ('degraded' as const),
    timestamp: now,
    ...(lastTickMs !== undefined && { lastTickMs }),
    pendingActions,
    // A game without a farm answers, but no one can join it.
    gameAvailable: gameAvailable && isWithoutFarm !== true,
    tickCount,
    isFrozen,
    ...(isStale && { isStale }),
    records,
    ...connections,
    ...(cause !== undefined && { cause: shownCause(cause) }),
  }
}
