/** The control API and the chat of one farm, as its object runs them on the linked game. */
import type { LinkedGame } from '../../bridges/linked/edge-end/linked-game.ts'
import { fleetKeyHolder } from '../../handlers/audit-entry.ts'
import type { KeyHolder } from '../../handlers/key-holder.ts'
import { scopes } from '../../handlers/key-holder.ts'
import { usesOf } from '../../lib/key-ring.ts'
import type { KeyCheck } from '../../lib/keys.ts'
import type { Log } from '../../lib/log.ts'
import type { Caller } from '../http/caller.ts'
import type { Gate } from '../http/gate.ts'
import { labelFarm, measureClients, measureState } from '../http/metrics.ts'
import { createRouter } from '../router.ts'
import { edgeCaller, fleetKeyHeader } from './caller.ts'
import { EdgeChat } from './chat.ts'
import type { EdgeConfig } from './config.ts'
import { edgeApi } from './edge-api.ts'
import type { FarmKeys } from './farm-keys.ts'
import type { FarmStore } from './farm-store.ts'

interface FarmApiParts {
  /** The farm's name in the fleet, or `default`. */
  readonly name: string | undefined
  /** See `Page`; farms of one origin have different ones. */
  readonly cookie: string
  readonly game: LinkedGame
  readonly store: FarmStore
  readonly log: Log
  readonly config: EdgeConfig
  /** The farm's current keys; they can change. */
  readonly keys: () => FarmKeys
  /** The sockets of clients that were open before hibernation. */
  readonly clients: readonly WebSocket[]
  /** Accepts a `GET /ws` whose origin is allowed. */
  readonly upgrade: (caller: Caller, session: KeyHolder | undefined) => Promise<Response>
  /** Called when a Discord server was bound to the farm. */
  readonly boundDiscord: (serverId: string) => Promise<void>
}

export type FarmApi = ReturnType<typeof farmApi>

export function farmApi({ name, cookie, keys, clients, upgrade, ...parts }: FarmApiParts) {
  const { game, config } = parts
  const page = { origin: ({ origin }: Pick<Caller, 'origin'>) => origin, cookie }
  const api = edgeApi({ ...parts, page, keys: checkedKeys(keys, game), pages: new Map() })
  const gate = fleetGate(api.gate, keys)
  const chat = new EdgeChat({ ...api, ...parts, maxClients: config.maxClients }, clients)
  const { registry } = api.metrics
  labelFarm(registry, () => name)
  measureClients(registry, () => chat.listening)
  measureState(registry, chat)
  const app = createRouter(
    { ...api, gate },
    {
      caller: edgeCaller,
      upgrade: (_c, caller, session) => upgrade(caller, session),
    },
  )
  return { app, gate, chat }
}

/** The keys at the time of each check; the farm records the use of a named one. */
function checkedKeys(keys: () => FarmKeys, game: LinkedGame): KeyCheck {
  const noteUse = usesOf((id) => void game.records.usedKey(id).catch(() => undefined), Date.now)
  const used = (holder: KeyHolder | undefined) => {
    if (holder !== undefined) noteUse(holder)
    return holder
  }
  return {
    required: true,
    verify: (key) => used(keys().verify(key)),
    session: (proof) => used(keys().session(proof)),
    current: (holder) => keys().current(holder),
  }
}

/**
 * Admits the operator of the fleet. A farm that does not exist answers every request as an existing one answers a
 * wrong key, public paths included. Both answer an `OPTIONS` without a key.
 */
const fleetGate = (gate: Gate, keys: () => FarmKeys): Gate => ({
  ...gate,
  admit(caller, access, effect, allowance) {
    const { isKnown } = keys()
    const sent = caller.header(fleetKeyHeader)
    const scope = scopes.find((one) => one === sent)
    if (isKnown && scope !== undefined) {
      const holder = { ...fleetKeyHolder, scopes: [scope], ref: fleetKeyHolder.id }
      caller.hasKey?.(holder)
      gate.count(holder, effect, caller.address)
      return holder
    }
    return gate.admit(caller, isKnown || allowance === 'preflights' ? access : 'key', effect, allowance)
  },
})
