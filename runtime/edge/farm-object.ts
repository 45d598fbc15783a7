/**
 * The Durable Object of one farm (docs/edge.md, docs/link.md). It accepts the WebSockets of the chat clients and the
 * link from the farm's machine, both with the hibernation API, and runs the router on the linked game.
 */
import { DurableObject } from 'cloudflare:workers'
import { Problem } from '../../handlers/problem.ts'
import { type LinkedGame, linkedGame } from '../bridges/linked/linked-game.ts'
import { problemResponse } from '../http/answer.ts'
import { originRules } from '../http/cors.ts'
import { createGate, type Gate, unauthorized } from '../http/gate.ts'
import { bearerKey } from '../http/keys.ts'
import { createMetrics } from '../http/metrics.ts'
import { limitsOf } from '../http/rate-limit.ts'
import { requestIdOf } from '../http/request-id.ts'
import { heartbeat, linkCloseCodes, silence } from '../link/protocol.ts'
import type { Log } from '../log.ts'
import { createRouter } from '../router.ts'
import { addressHeader, edgeCaller } from './caller.ts'
import { EdgeChat, measureState } from './chat.ts'
import { EarliestAlarm } from './earliest-alarm.ts'
import type { EdgeEnv } from './env.ts'
import { type FarmKeys, farmKeys } from './farm-keys.ts'
import { type FarmStore, farmStore, type KeyDigests } from './farm-store.ts'
import { edgeLog } from './log.ts'
import { defaultFarm, farmNameOf } from './object-name.ts'
import { OriginSocket } from './origin-socket.ts'
import { settingsOf } from './settings.ts'
import { answerClose } from './websocket.ts'

const tags = { client: 'client', link: 'link' } as const
const now = () => Date.now()
const monotonic = () => performance.now()
/** Minimum of milliseconds to the next check of the link while no client is subscribed; each wakes the object and writes a row. */
const idleLinkCheck = 120_000
/** The same while clients are subscribed, because the events that show the farm is away have to reach them soon. */
const minLinkCheck = 1000

export class FarmObject extends DurableObject<EdgeEnv> {
  readonly #log: Log
  readonly #store: FarmStore
  readonly #gate: Gate
  readonly #game: LinkedGame
  readonly #chat: EdgeChat
  readonly #app: { fetch(request: Request): Response | Promise<Response> }
  readonly #isDefault: boolean
  readonly #alarm: EarliestAlarm
  #keys: FarmKeys
  #origin: OriginSocket | undefined

  constructor(ctx: DurableObjectState, env: EdgeEnv) {
    super(ctx, env)
    const settings = settingsOf(env)
    this.#log = edgeLog(env.LOG_LEVEL, farmNameOf(ctx.id.name))
    this.#log.debug({}, 'farm object awake')
    this.#store = farmStore(ctx.storage.sql, now)
    this.#alarm = new EarliestAlarm(ctx.storage)
    this.#isDefault = ctx.id.equals(env.FARM.idFromName(defaultFarm))
    this.#keys = farmKeys(this.#store, env, this.#isDefault, now)
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(heartbeat.ping, heartbeat.pong))

    this.#origin = OriginSocket.newest(ctx, ctx.getWebSockets(tags.link))
    this.#game = linkedGame({
      store: this.#store,
      isResumed: this.#origin?.state.run !== undefined,
      now,
      // Microseconds, so that call ids are greater than all that this object used before it was last loaded.
      firstCall: now() * 1000,
    })
    if (this.#origin !== undefined) this.#linked(this.#origin)
    if (this.#origin?.position !== undefined) this.#store.resume(this.#origin.position)

    const metrics = createMetrics(this.#game, () => this.#chat.listening)
    const origins = originRules(settings.allowedOrigins)
    const keys = { required: true, verify: (key: string) => this.#keys.verify(key) }
    const gate = createGate({
      keys,
      limits: limitsOf(settings.rates, now),
      origins,
      metrics,
      log: this.#log,
      now,
    })
    this.#gate = gate
    this.#chat = new EdgeChat(
      {
        game: this.#game,
        gate,
        keyId: (key) => this.#keys.idOf('api', key),
        store: this.#store,
        metrics: metrics.chat,
        log: this.#log,
        maxClients: settings.maxClients,
        now,
      },
      ctx.getWebSockets(tags.client),
    )
    measureState(this.#chat, metrics.registry)
    this.#app = createRouter({
      game: this.#game,
      gate,
      origins,
      metrics,
      log: this.#log,
      publicInviteCodes: settings.publicInviteCodes,
      basePath: '',
      pages: new Map(),
      now,
      monotonic,
      newRequestId: () => crypto.randomUUID(),
      hear: (listener) => void this.#game.hear(listener),
      caller: edgeCaller,
      upgrade: (c) => this.#upgrade(c.req.raw),
    })
  }

  override async fetch(request: Request): Promise<Response> {
    this.#endOldKeys()
    if (!this.#keys.isKnown) return refused(request, unauthorized())
    return new URL(request.url).pathname === '/link' ? this.#link(request) : this.#app.fetch(request)
  }

  /**
   * Sets the farm's keys, or one of them.
   * @param oldEndsAt until when the replaced keys are still valid, milliseconds since 1970; unless given they end at
   *   once, and the sockets that used them are closed
   */
  async create(digests: Partial<KeyDigests>, oldEndsAt?: number): Promise<void> {
    for (const kind of ['api', 'link'] as const) {
      const digest = digests[kind]
      if (digest !== undefined) this.#store.keepKey(kind, digest, oldEndsAt)
    }
    this.#readKeys()
    await this.#arm()
  }

  /** Deletes everything that is stored about the farm, and closes every socket. */
  async revoke(): Promise<void> {
    const reason = 'The farm is no more'
    this.#origin?.close(linkCloseCodes.revoked, reason)
    this.#chat.closeAll(1008, reason)
    this.#origin = undefined
    this.#store.forget()
    this.#game.forget()
    this.#keys = farmKeys(this.#store, this.env, this.#isDefault, now)
    this.#alarm.gone()
    await this.ctx.storage.deleteAll()
  }

  override async webSocketMessage(ws: WebSocket, message: string | ArrayBuffer): Promise<void> {
    this.#log.debug({}, 'farm object hears a socket')
    this.#endOldKeys()
    const origin = this.#originOf(ws)
    if (origin === undefined) {
      this.#chat.received(ws, message)
      await this.#arm()
      return
    }
    if (typeof message !== 'string') return origin.close(1003, 'Text frames only')
    const wasLinked = this.#game.isLinked()
    this.#game.received(origin, message)
    origin.keepPosition(this.#store.position)
    if (!wasLinked && this.#game.isLinked()) {
      this.#log.info({ generation: origin.state.generation }, 'farm is linked')
      this.#chat.farmIsBack()
    }
    // The frame may say that the game is away. Clients that use neither `since` nor `subscribe` are closed ten seconds
    // later.
    await this.#arm()
  }

  override async webSocketClose(ws: WebSocket, code: number): Promise<void> {
    answerClose(ws, code)
    const origin = this.#originOf(ws)
    if (origin === undefined) {
      this.#chat.gone(ws)
      return
    }
    this.#log.info({ code, generation: origin.state.generation }, 'farm is away')
    this.#origin = undefined
    this.#game.disconnected(origin)
    await this.#arm()
  }

  override async webSocketError(ws: WebSocket): Promise<void> {
    await this.webSocketClose(ws, 1006)
  }

  override async alarm(): Promise<void> {
    this.#alarm.gone()
    this.#endOldKeys()
    // Closes a link whose heartbeats have stopped, so that subscribers get the events of a farm that is away.
    this.#game.isLinked()
    this.#chat.deadlinesPassed()
    await this.#arm()
  }

  #originOf(ws: WebSocket): OriginSocket | undefined {
    return this.#origin?.ws === ws ? this.#origin : undefined
  }

  #linked(origin: OriginSocket): void {
    this.#origin = origin
    this.#game.connected(origin, origin.state, (state) => origin.keep(state))
  }

  async #link(request: Request): Promise<Response> {
    const caller = edgeCaller(request)
    const key = caller.manyKeys ? undefined : bearerKey(caller.header('authorization'))
    if (key === undefined) return refused(request, unauthorized())
    const keyId = this.#keys.idOf('link', key)
    if (keyId === undefined) return refused(request, this.#gate.wrongKey(caller.address))
    if (caller.header('upgrade')?.toLowerCase() !== 'websocket')
      return refused(request, new Problem('upgrade_required', 'Open this path as a WebSocket'))
    const { 0: client, 1: server } = new WebSocketPair()
    this.ctx.acceptWebSocket(server, [tags.link])
    this.#linked(OriginSocket.accepted(this.ctx, server, now(), keyId, this.#store.nextGeneration()))
    return new Response(null, { status: 101, webSocket: client })
  }

  async #upgrade(request: Request): Promise<Response> {
    const address = request.headers.get(addressHeader) ?? ''
    this.#chat.admit(address)
    const { 0: client, 1: server } = new WebSocketPair()
    this.ctx.acceptWebSocket(server, [tags.client])
    this.#chat.open(server, address)
    await this.#arm()
    return new Response(null, { status: 101, webSocket: client })
  }

  /** Sets the alarm for the deadline of a client, a check of the link, or the end of a replaced key, whichever is next. */
  async #arm(): Promise<void> {
    const isLinked = this.#game.isLinked()
    const { nextDeadline, hasFollowers, hasClients } = this.#chat
    // When the link will be closed unless a frame or heartbeat comes. While heartbeats come, this time is always at
    // least thirty seconds ahead, so that checks are at least that far apart.
    const deadAt = (this.#origin?.lastSeen() ?? 0) + silence + 500
    const soonest = now() + (hasFollowers ? minLinkCheck : idleLinkCheck)
    const linkCheck = hasClients && isLinked ? Math.max(deadAt, soonest) : undefined
    await this.#alarm.setFor(nextDeadline, linkCheck, this.#keys.nextEnd)
  }

  #endOldKeys(): void {
    if (now() < (this.#keys.nextEnd ?? Infinity)) return
    this.#store.dropEndedKeys()
    this.#readKeys()
  }

  /** Reads the keys from the store, and closes the sockets whose key is no longer valid. */
  #readKeys(): void {
    this.#keys = farmKeys(this.#store, this.env, this.#isDefault, now)
    const reason = 'The farm has new keys'
    const origin = this.#origin
    if (origin !== undefined && !this.#keys.isGood('link', origin.key)) {
      origin.close(linkCloseCodes.revoked, reason)
      this.#origin = undefined
      this.#game.disconnected(origin)
    }
    this.#chat.closeEndedKeys((key) => this.#keys.isGood('api', key), 1008, reason)
  }
}

const refused = (request: Request, problem: Problem): Response =>
  problemResponse(problem, requestIdOf(request.headers.get('x-request-id')) ?? crypto.randomUUID())
