/**
 * The Durable Object of one farm (docs/edge.md, docs/architecture.md). It accepts the WebSockets of the chat clients
 * and the link from the farm's machine, both with the hibernation API, and runs the router on the linked game.
 */
import { DurableObject } from 'cloudflare:workers'
import { type LinkedGame, linkedGame } from '../../bridges/linked/edge-end/linked-game.ts'
import { heartbeat, linkCloseCodes } from '../../bridges/linked/protocol.ts'
import type { FleetChange } from '../../handlers/audit-entry.ts'
import type { KeyHolder } from '../../handlers/key-holder.ts'
import type { Log } from '../../lib/log.ts'
import { refuseLate } from '../../services/fleet/change-order.ts'
import { type Caller, isCommand } from '../http/caller.ts'
import { protocolFor } from '../http/session-cookies.ts'
import { keyOfHeader } from './caller.ts'
import { configOf } from './config.ts'
import { EarliestAlarm } from './earliest-alarm.ts'
import type { EdgeEnv } from './env.ts'
import { type FarmApi, farmApi } from './farm-api.ts'
import { type FarmInFleet, farmInFleet } from './farm-in-fleet.ts'
import { type FarmKeys, farmKeys } from './farm-keys.ts'
import { type FarmStore, farmStore } from './farm-store.ts'
import { fleetObject } from './fleet.ts'
import { refusedLate } from './fleet-call.ts'
import type { KeyDigests } from './key-store.ts'
import { nextLinkCheck } from './link-check.ts'
import { checkLink } from './link-handshake.ts'
import { edgeLog } from './log.ts'
import { defaultFarm, farmNameOf } from './object-name.ts'
import { acceptedOrigin, newestOrigin, type OriginSocket } from './origin-socket.ts'
import { answerClose } from './websocket.ts'

/** A change of the farm, with the entry for its audit. */
export type FarmWish =
  | {
      readonly what: 'setKeys'
      /** One new key or two. */
      readonly digests: Partial<KeyDigests>
      readonly change: FleetChange
      /**
       * Until when the replaced keys are still valid, milliseconds since 1970; unless given they end at once, and the
       * sockets that used them are closed.
       */
      readonly oldEndsAt?: number | undefined
    }
  | { readonly what: 'revoke'; readonly change?: FleetChange | undefined }
type WishOf<What extends FarmWish['what']> = Extract<FarmWish, { readonly what: What }>

const tags = { client: 'client', link: 'link' } as const
const now = () => Date.now()

export class FarmObject extends DurableObject<EdgeEnv> {
  readonly #log: Log
  readonly #store: FarmStore
  readonly #game: LinkedGame
  readonly #api: FarmApi
  readonly #isDefault: boolean
  readonly #alarm: EarliestAlarm
  #keys: FarmKeys
  #fleet: FarmInFleet
  #origin: OriginSocket | undefined

  constructor(ctx: DurableObjectState, env: EdgeEnv) {
    super(ctx, env)
    const config = configOf(env)
    this.#log = edgeLog(env.LOG_LEVEL, farmNameOf(ctx.id.name))
    this.#log.debug({}, 'farm object awake')
    this.#store = farmStore(ctx.storage.sql, now)
    this.#alarm = new EarliestAlarm(ctx.storage)
    this.#isDefault = ctx.id.equals(env.FARM.idFromName(defaultFarm))
    this.#keys = farmKeys(this.#store, env, this.#isDefault, now)
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(heartbeat.ping, heartbeat.pong))

    this.#origin = newestOrigin(ctx, ctx.getWebSockets(tags.link))
    this.#game = linkedGame({
      store: this.#store,
      isResumed: this.#origin?.state.run !== undefined,
      now,
      // Microseconds, so that call ids are greater than all that this object used before it was last loaded.
      firstCall: now() * 1000,
      onKeys: (keys, gone) => {
        this.#store.keepNamedKeys(keys, gone)
        this.#readKeys()
      },
      onMisused: () => this.#store.refuseLink(),
      onNumbers: (next) => this.#api.chat.numbersKnown(next),
    })
    if (this.#origin !== undefined) this.#linked(this.#origin)
    if (this.#origin?.position !== undefined) this.#store.resume(this.#origin.position)

    this.#api = farmApi({
      name: farmNameOf(ctx.id.name),
      game: this.#game,
      store: this.#store,
      log: this.#log,
      config,
      cookie: this.#isDefault ? 'farmgate' : `farmgate-${farmNameOf(ctx.id.name)}`,
      keys: () => this.#keys,
      clients: ctx.getWebSockets(tags.client),
      upgrade: (caller, session) => this.#upgrade(caller, session),
      boundDiscord: async (serverId) => {
        const object = ctx.id.name ?? defaultFarm
        await fleetObject(env).change({ what: 'bindDiscord', serverId, object, asked: { at: now() } })
      },
    })
    this.#fleet = this.#inFleet()
  }

  /** Answers, so that the Worker learns whether the owner of this object is reachable. */
  async alive(): Promise<void> {}

  override async fetch(request: Request): Promise<Response> {
    this.#endOldKeys()
    const refused = refusedLate(request, now())
    if (refused !== undefined) return refused
    if (new URL(request.url).pathname === '/link') return this.#link(request)
    let hasKey = false
    const answer = await this.#api.app.fetch(request, {
      hasKey() {
        hasKey = true
      },
    })
    if (hasKey && request.headers.has(keyOfHeader))
      answer.headers.set(keyOfHeader, this.ctx.id.name ?? defaultFarm)
    return answer
  }

  /**
   * Carries out a change that the fleet's object asks for, unless it comes too late: the only way to any.
   * @param at when its operator asked for it, milliseconds since 1970
   * @throws an error with `tooLate`; with `tooManyReplaced` for new keys
   */
  async change(wish: FarmWish, at: number): Promise<void> {
    refuseLate(at, now())
    await (wish.what === 'setKeys' ? this.#setKeys(wish) : this.#revoke(wish))
  }

  /** Sets the farm's keys, or one of them. */
  async #setKeys({ digests, change, oldEndsAt }: WishOf<'setKeys'>): Promise<void> {
    this.#store.keepKeys(digests, oldEndsAt)
    // Any holder of the link key may have sent them.
    if (digests.link !== undefined && oldEndsAt === undefined) this.#store.keepNamedKeys([])
    this.#fleet.changes.add(change)
    this.#readKeys()
    if (this.#game.isLinked()) this.#fleet.changes.report()
    await this.#arm()
  }

  /** Deletes everything stored about the farm, and closes every socket. */
  async #revoke({ change }: WishOf<'revoke'>): Promise<void> {
    // A pending report must not come after one of a new farm of this name.
    await this.#fleet.reporter?.stop()
    this.#fleet.changes.stop()
    const reason = 'The farm was deleted'
    // The farm gets it before the close; its answer can no longer come.
    if (change !== undefined) this.#game.records.fleetChanged(change).catch(() => undefined)
    this.#origin?.close(linkCloseCodes.revoked, reason)
    this.#api.chat.closeAll(1008, reason)
    this.#origin = undefined
    this.#store.forget()
    this.#game.forget()
    this.#keys = farmKeys(this.#store, this.env, this.#isDefault, now)
    this.#alarm.cleared()
    await this.ctx.storage.deleteAll()
    this.#fleet = this.#inFleet()
  }

  override async webSocketMessage(ws: WebSocket, message: string | ArrayBuffer): Promise<void> {
    this.#log.debug({}, 'farm object hears a socket')
    this.#endOldKeys()
    const origin = this.#originOf(ws)
    if (origin === undefined) {
      this.#api.chat.received(ws, message)
      await this.#arm()
      return
    }
    if (typeof message !== 'string') return origin.close(1003, 'Text frames only')
    const wasLinked = this.#game.isLinked()
    this.#game.received(origin, message)
    origin.keepPosition(this.#store.position())
    if (!wasLinked && this.#game.isLinked()) {
      this.#log.info({ generation: origin.state.generation }, 'farm is linked')
      this.#api.chat.farmIsBack()
      this.#fleet.changes.linked()
    }
    if (this.#game.isLinked()) this.#fleet.changes.report()
    // The frame may say that the game is offline. Clients that use neither `since` nor `subscribe` are closed ten
    // seconds later.
    await this.#arm()
  }

  override async webSocketClose(ws: WebSocket, code: number): Promise<void> {
    answerClose(ws, code)
    const origin = this.#originOf(ws)
    if (origin === undefined) {
      this.#api.chat.disconnected(ws)
      return
    }
    this.#log.info({ code, generation: origin.state.generation }, 'farm is offline')
    this.#origin = undefined
    this.#game.disconnected(origin)
    await this.#arm()
  }

  override async webSocketError(ws: WebSocket): Promise<void> {
    await this.webSocketClose(ws, 1006)
  }

  override async alarm(): Promise<void> {
    this.#alarm.cleared()
    this.#endOldKeys()
    // Closes a link whose heartbeats have stopped, so that subscribers get the events of an offline farm.
    this.#game.isLinked()
    this.#api.chat.deadlinesPassed()
    await this.#arm()
  }

  #originOf(ws: WebSocket): OriginSocket | undefined {
    return this.#origin?.ws === ws ? this.#origin : undefined
  }

  #linked(origin: OriginSocket): void {
    this.#origin = origin
    this.#game.connected(origin, origin.state, (state) => origin.keep(state))
  }

  #link(request: Request): Response {
    const checked = checkLink(request, this.#keys, this.#api.gate, this.#store.linkRefusedFor())
    if ('refusal' in checked) return checked.refusal
    const { 0: client, 1: server } = new WebSocketPair()
    this.ctx.acceptWebSocket(server, [tags.link])
    const of = { at: now(), key: checked.keyId, generation: this.#store.nextGeneration() }
    this.#linked(acceptedOrigin(this.ctx, server, of))
    return new Response(null, { status: 101, webSocket: client })
  }

  async #upgrade(caller: Caller, session: KeyHolder | undefined): Promise<Response> {
    const { address } = caller
    this.#api.chat.admit(address)
    const { 0: client, 1: server } = new WebSocketPair()
    this.ctx.acceptWebSocket(server, [tags.client])
    this.#api.chat.open(server, address, isCommand(caller), session)
    await this.#arm()
    const protocol = protocolFor(caller)
    const headers = protocol === undefined ? {} : { 'Sec-WebSocket-Protocol': protocol }
    return new Response(null, { status: 101, webSocket: client, headers })
  }

  /** Sets the alarm for the next of: a client's deadline, a check of the link, the end of a replaced key, a report. */
  async #arm(): Promise<void> {
    this.#fleet.reporter?.update()
    const { nextDeadline } = this.#api.chat
    const linkCheck = this.#game.isLinked()
      ? nextLinkCheck(
          this.#api.chat,
          this.#fleet.reporter !== undefined,
          this.env.LINK_CHECK,
          this.#origin?.lastSeen(),
          now(),
        )
      : undefined
    await this.#alarm.setFor(nextDeadline, linkCheck, this.#keys.nextEnd, this.#fleet.reporter?.nextReport)
  }

  #inFleet(): FarmInFleet {
    const { ctx, env } = this
    return farmInFleet(this.#isDefault ? undefined : farmNameOf(ctx.id.name), {
      game: this.#game,
      storage: ctx.storage.kv,
      env,
      log: this.#log,
      reported: () => void this.#arm(),
    })
  }

  #endOldKeys(): void {
    if (now() < (this.#keys.nextEnd ?? Infinity)) return
    this.#store.dropEndedKeys()
    this.#readKeys()
  }

  /** Reads the keys from the store, and closes the sockets whose key is no longer valid. */
  #readKeys(): void {
    this.#keys = farmKeys(this.#store, this.env, this.#isDefault, now)
    const origin = this.#origin
    if (origin !== undefined && !this.#keys.isGoodLink(origin.key)) {
      origin.close(linkCloseCodes.revoked, 'The farm has new keys')
      this.#origin = undefined
      this.#game.disconnected(origin)
      this.#store.keepNamedKeys([])
      this.#keys = farmKeys(this.#store, this.env, this.#isDefault, now)
    }
    this.#api.chat.keysChanged()
  }
}
