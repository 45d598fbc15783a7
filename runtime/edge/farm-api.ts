/** The control API and the chat of one farm, as its object runs them on the linked game. */
import type { LinkedGame } from '../../bridges/linked/linked-game.ts'
import { fleetKeyHolder } from '../../handlers/audit-entry.ts'
import type { KeyHolder } from '../../handlers/key-holder.ts'
import { usesOf } from '../../lib/key-ring.ts'
import type { Log } from '../../lib/log.ts'
import { chatAudit } from '../chat/chat-audit.ts'
import type { Gate } from '../http/gate.ts'
import { labelFarm } from '../http/metrics.ts'
import { fleetKeyHeader } from './caller.ts'
import { EdgeChat } from './chat.ts'
import type { EdgeConfig } from './config.ts'
import { edgeApi } from './edge-api.ts'
import type { FarmKeys } from './farm-keys.ts'
import type { FarmStore } from './farm-store.ts'
import { measureState } from './measure-state.ts'

interface FarmApiParts {
  /** The farm's name in the fleet, or `default`. */
  readonly name: string | undefined
  readonly game: LinkedGame
  readonly store: FarmStore
  readonly log: Log
  readonly config: EdgeConfig
  /** The farm's keys now; they can change. */
  readonly keys: () => FarmKeys
  /** The sockets of clients that were open before hibernation. */
  readonly clients: readonly WebSocket[]
  /** Accepts a `GET /ws` whose origin is allowed. */
  readonly upgrade: (request: Request) => Promise<Response>
  /** Called when a Discord server was bound to the farm. */
  readonly boundDiscord: (serverId: string) => Promise<void>
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Milliseconds, never running backwards. */
  readonly monotonic: () => number
}

/** The operator of the fleet, who may read the metrics of every farm. */
const fleetReader: KeyHolder = { ...fleetKeyHolder, scopes: ['read'], ref: fleetKeyHolder.id }

export interface FarmApi {
  readonly app: { fetch(request: Request): Response | Promise<Response> }
  readonly gate: Gate
  readonly chat: EdgeChat
}

export function farmApi(parts: FarmApiParts): FarmApi {
  const { name, game, store, log, config, keys, clients, upgrade, now, monotonic } = parts
  const noteUse = usesOf((id) => void game.records.usedKey(id).catch(() => undefined), now)
  const {
    metrics,
    audit,
    gate: ofFarm,
    newRequestId,
    router,
  } = edgeApi({
    game,
    keys: {
      required: true,
      verify(key) {
        const holder = keys().verify(key)
        if (holder !== undefined) noteUse(holder)
        return holder
      },
      current: (holder) => keys().current(holder),
    },
    config,
    log,
    listening: () => chat.listening,
    now,
    monotonic,
  })
  labelFarm(metrics.registry, () => name)
  // A farm that does not exist answers every request as one that exists answers a wrong key, public paths included. An
  // `OPTIONS` is answered without a key by both.
  const gate: Gate = {
    ...ofFarm,
    admit(caller, access, effect, allowance) {
      const { isKnown } = keys()
      if (isKnown && caller.header(fleetKeyHeader) !== undefined) {
        ofFarm.count(fleetReader, effect, caller.address)
        return fleetReader
      }
      return ofFarm.admit(caller, isKnown || allowance === 'preflights' ? access : 'key', effect, allowance)
    },
  }
  const chat = new EdgeChat(
    {
      game,
      gate,
      store,
      audit: chatAudit(audit, newRequestId, monotonic),
      metrics: metrics.chat,
      log,
      maxClients: config.maxClients,
      now,
      monotonic,
    },
    clients,
  )
  measureState(chat, metrics.registry)
  const app = router({
    gate,
    publicInviteCodes: config.publicInviteCodes,
    refusalsAs200: config.refusalsAs200,
    discord: config.discord,
    boundDiscord: parts.boundDiscord,
    pages: new Map(),
    hear: (listener) => void game.hear((event) => event.type !== 'gap' && listener(event)),
    upgrade: (c) => upgrade(c.req.raw),
  })
  return { app, gate, chat }
}
