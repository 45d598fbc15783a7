import type { Backups } from '../../handlers/backups.ts'
import type { EndpointRequest } from '../../handlers/endpoint.ts'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import { allows, type KeyHolder, type Scope } from '../../handlers/key-holder.ts'
import type { Records } from '../../handlers/records.ts'
import type { Caller } from '../http/caller.ts'
import { type Gate, requireScope } from '../http/gate.ts'
import type { FilterChanges } from '../http/predicate-changed-at.ts'
import { keyNotAccepted } from '../http/unauthorized.ts'
import { waitUntil } from './long-poll.ts'

/** What all requests to one server share. */
export interface RequestSurroundings {
  readonly game: GameBridge
  readonly gate: Pick<Gate, 'current'>
  readonly records: Records
  readonly backups: Backups
  readonly publicInviteCodes: boolean
  /** Undefined where Discord is not set up. */
  readonly discord?: object | undefined
  /** Ends long polls when the process stops. */
  readonly stopping?: AbortSignal
  readonly changes: FilterChanges
  /** Milliseconds since 1970. */
  now(): number
}

/**
 * What an endpoint is given for one request. A class with getters, so that what only long polls need is not made for
 * every request.
 */
export class RequestToEndpoint<Query> implements EndpointRequest<Query> {
  readonly query: Query
  readonly body: string
  readonly holder: KeyHolder | undefined
  readonly #scope: Scope | undefined
  readonly #caller: Caller
  readonly #around: RequestSurroundings
  /** Since when the filters of a long poll have held, milliseconds since 1970; undefined for any other request. */
  changedAt: number | undefined = undefined

  /** @param scope what the endpoint needs, also while a long poll waits */
  constructor(
    query: Query,
    body: string,
    holder: KeyHolder | undefined,
    scope: Scope | undefined,
    caller: Caller,
    around: RequestSurroundings,
  ) {
    this.query = query
    this.body = body
    this.holder = holder
    this.#scope = scope
    this.#caller = caller
    this.#around = around
  }

  get mayRead(): boolean {
    return this.holder !== undefined && allows(this.holder, 'read')
  }

  get publicInviteCodes(): boolean {
    return this.#around.publicInviteCodes
  }

  get takesDiscord(): boolean {
    return this.#around.discord !== undefined
  }

  get now(): string {
    return new Date(this.#around.now()).toISOString()
  }

  get until(): EndpointRequest<Query>['until'] {
    const { game, gate, stopping } = this.#around
    const [holder, scope] = [this.holder, this.#scope]
    const over = [stopping, this.#caller.over].filter((signal) => signal !== undefined)
    const check = () => {
      if (holder === undefined) return
      const current = gate.current(holder)
      if (current === undefined) throw keyNotAccepted()
      requireScope(current, scope)
    }
    return (milliseconds, probe) => waitUntil(game, milliseconds, probe, { over, check })
  }

  filtered(values: Readonly<Record<string, unknown>>): void {
    this.changedAt = this.#around.changes.seen(values)
  }
}
