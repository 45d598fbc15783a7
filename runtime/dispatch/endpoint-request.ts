import type { EndpointRequest } from '../../handlers/endpoint.ts'
import { allows, type KeyHolder, type Scope } from '../../handlers/key-holder.ts'
import { requireScope } from '../../handlers/problem.ts'
import { keyNotAccepted } from '../http/unauthorized.ts'
import type { Call, DispatchParts } from './call.ts'
import { waitUntil } from './long-poll.ts'

interface Given<Query, Body> {
  readonly query: Query
  readonly body: Body
  readonly upload?: AsyncIterable<Uint8Array> | undefined
}

/**
 * The request that an endpoint gets for one call. A class with getters, so that the parts that only long polls need
 * are not made for every call.
 */
export class RequestToEndpoint<Query, Body> implements EndpointRequest<Query, Body> {
  readonly query: Query
  readonly body: Body
  readonly #upload: AsyncIterable<Uint8Array> | undefined
  readonly #scope: Scope | undefined
  readonly #call: Call
  readonly #parts: DispatchParts
  readonly holder: KeyHolder | undefined
  /** Since when the filters of a long poll have held, milliseconds since 1970; undefined for any other call. */
  changedAt: number | undefined = undefined

  /** @param scope what the endpoint needs, also while a long poll waits */
  constructor(
    { query, body, upload }: Given<Query, Body>,
    scope: Scope | undefined,
    call: Call,
    parts: DispatchParts,
    holder = call.holder,
  ) {
    this.query = query
    this.body = body
    this.#upload = upload
    this.#scope = scope
    this.#call = call
    this.#parts = parts
    this.holder = holder
  }

  get upload(): AsyncIterable<Uint8Array> {
    return whileAllowed(this.#upload, () => this.#check())
  }

  get attempt(): string | undefined {
    return this.#call.attempt
  }

  get from(): Call['from'] {
    return this.#call.from
  }

  get range(): Call['range'] {
    return this.#call.range
  }

  get mayRead(): boolean {
    return this.holder !== undefined && allows(this.holder, 'read')
  }

  get publicInviteCodes(): boolean {
    return this.#parts.publicInviteCodes
  }

  get publicBadge(): boolean {
    return this.#parts.publicBadge
  }

  get takesDiscord(): boolean {
    return this.#call.takesDiscord
  }

  get now(): string {
    return new Date(this.#parts.now()).toISOString()
  }

  get isStillAllowed(): () => boolean {
    return () => {
      try {
        this.#check()
        return true
      } catch {
        return false
      }
    }
  }

  get onBehalf(): EndpointRequest<Query>['onBehalf'] {
    const [call, parts] = [this.#call, this.#parts]
    return (query, { holder, scope }) =>
      new RequestToEndpoint({ query, body: undefined }, scope, call, parts, holder)
  }

  get until(): EndpointRequest<Query>['until'] {
    const { farm, stopping } = this.#parts
    const over = [stopping, this.#call.over].filter((signal) => signal !== undefined)
    return (milliseconds, probe) =>
      waitUntil(farm.game, milliseconds, probe, { over, check: () => this.#check() })
  }

  get filtered(): EndpointRequest<Query>['filtered'] {
    return (values) => {
      this.changedAt = this.#parts.changes.seen(values)
    }
  }

  /** @throws {Problem} unauthorized, insufficient_scope: the key has ended or lost its scope since the call came */
  #check(): void {
    if (this.holder === undefined) return
    const current = this.#parts.gate.current(this.holder)
    if (current === undefined) throw keyNotAccepted()
    requireScope(current, this.#scope)
  }
}

async function* whileAllowed(
  upload: AsyncIterable<Uint8Array> | undefined,
  check: () => void,
): AsyncGenerator<Uint8Array, void> {
  if (upload === undefined) return
  for await (const piece of upload) {
    check()
    yield piece
  }
}
