/**
 * The list of the fleet's farms, by name. This object creates and revokes every farm, one request after another for
 * each name, so that a listed farm works and an unlisted one does not. The farm's own object stores the digests of its
 * keys.
 */
import { DurableObject } from 'cloudflare:workers'
import type { FleetEntry, FleetNotes } from '../../handlers/fleet.ts'
import type { FleetAction, FleetActionRequest, FleetActionSummary } from '../../handlers/fleet-action.ts'
import { type OneAtATime, oneAtATime } from '../../lib/one-at-a-time.ts'
import { type FleetActions, fleetActions } from '../../services/fleet/actions.ts'
import { changeOrder, isTooLate } from '../../services/fleet/change-order.ts'
import type { FleetRequest } from '../../services/fleet/farm-call.ts'
import { type FleetList, fleetList } from '../../services/fleet/list.ts'
import { type FleetNotices, fleetNotices, postNotice } from '../../services/fleet/notices.ts'
import type { FleetReport } from '../../services/fleet/report.ts'
import { configOf } from './config.ts'
import { EarliestAlarm } from './earliest-alarm.ts'
import type { EdgeEnv } from './env.ts'
import { callFarm } from './fleet-call.ts'
import type { KeyDigests } from './key-store.ts'
import { edgeLog } from './log.ts'
import { farmNameOf, fleetFarm } from './object-name.ts'

/**
 * Milliseconds until an incompletely created or revoked farm is revoked, and between two attempts; and between two looks
 * at the running actions, which also keep this object in memory.
 */
const undoAfter = 10_000

/** A change that an operator asks for, or a farm whose Discord server was bound. */
export type FleetWish =
  | {
      readonly what: 'create'
      readonly farm: string
      readonly digests: KeyDigests
      readonly asked: FleetRequest
    }
  | {
      readonly what: 'rotate'
      readonly farm: string
      /** One new key or two. */
      readonly digests: Partial<KeyDigests>
      /** Until when the replaced keys are still valid, milliseconds since 1970; unless given they end at once. */
      readonly oldEndsAt?: number
      readonly asked: FleetRequest
    }
  | { readonly what: 'revoke'; readonly farm: string; readonly asked: FleetRequest }
  | { readonly what: 'note'; readonly farm: string; readonly notes: FleetNotes; readonly asked: FleetRequest }
  | { readonly what: 'act'; readonly request: FleetActionRequest; readonly asked: FleetRequest }
  | {
      readonly what: 'bindDiscord'
      readonly serverId: string
      /** The name of the object of a farm that has confirmed the code. */
      readonly object: string
      readonly asked: Pick<FleetRequest, 'at'>
    }
type WishOf<What extends FleetWish['what']> = Extract<FleetWish, { readonly what: What }>
type KeyWish = WishOf<'create' | 'rotate' | 'revoke'>

export interface FleetOutcome {
  /** False when there is no such farm, or no farm to act at; for a creation, when there is one. */
  readonly isDone: boolean
  /** The farm with its notes. */
  readonly entry?: FleetEntry
  /** Of the action. */
  readonly id?: string
}

export class FleetObject extends DurableObject<EdgeEnv> {
  /** The pending requests, by the name of the farm. */
  readonly #queues = new Map<string, OneAtATime>()
  readonly #list: FleetList
  readonly #actions: FleetActions
  readonly #order: ReturnType<typeof changeOrder>
  /** Undefined without a webhook of the fleet. */
  readonly #notices: FleetNotices | undefined
  readonly #alarm: EarliestAlarm

  constructor(ctx: DurableObjectState, env: EdgeEnv) {
    super(ctx, env)
    for (const table of [
      'CREATE TABLE IF NOT EXISTS farms (farm TEXT PRIMARY KEY, createdAt TEXT NOT NULL) WITHOUT ROWID',
      // Farms that are being created or revoked. The alarm revokes one that stays here (a fault, a deploy).
      'CREATE TABLE IF NOT EXISTS unfinished (farm TEXT PRIMARY KEY) WITHOUT ROWID',
      // The object of the farm to which each Discord server was bound last.
      'CREATE TABLE IF NOT EXISTS discordServers (serverId TEXT PRIMARY KEY, object TEXT NOT NULL) WITHOUT ROWID',
    ])
      ctx.storage.sql.exec(table)
    this.#alarm = new EarliestAlarm(ctx.storage)
    this.#list = fleetList(ctx.storage.sql)
    this.#order = changeOrder(ctx.storage.sql, () => Date.now())
    this.#actions = fleetActions({
      sql: ctx.storage.sql,
      farms: () => this.#list.entries(Date.now()),
      call: (farm, call, asked) => callFarm(this.env, farm, call, { ...asked, at: Date.now() }),
      failed: (cause) =>
        edgeLog(env.LOG_LEVEL).error(
          { cause: String(cause) },
          'an action at many farms was interrupted; it continues',
        ),
      newId: () => crypto.randomUUID().replaceAll('-', '').slice(0, 12),
      now: () => Date.now(),
      pause: (ms) => scheduler.wait(ms),
    })
    const { fleetWebhook } = configOf(env)
    this.#notices =
      fleetWebhook &&
      fleetNotices({
        storage: ctx.storage,
        secret: fleetWebhook.secret,
        farms: () => this.#list.entries(Date.now()),
        post: (message) => postNotice(fleetWebhook.url, message),
        now: () => Date.now(),
        random: Math.random,
      })
  }

  /**
   * Carries out a change, unless it comes too late (`changeOrder`): the only way to any.
   * @throws an error with `tooLate`, or that of the farm's object
   */
  async change(wish: FleetWish): Promise<FleetOutcome> {
    const inOrder = (farms: readonly string[]) => this.#order.check(wish.asked.at, farms)
    if (wish.what === 'act') {
      inOrder(this.#actions.farmsOf(wish.request))
      return this.#act(wish)
    }
    if (wish.what === 'bindDiscord') {
      inOrder([farmNameOf(wish.object) ?? ''])
      return this.#bindDiscord(wish)
    }
    return this.#inTurn(wish.farm, async () => {
      inOrder([wish.farm])
      if (wish.what === 'note') return this.#note(wish)
      const isDone = this.#changeKeys(wish)
      // Also after a failure, which can be that of an answer.
      return { isDone: await isDone.finally(() => this.#order.changed(wish.farm)) }
    })
  }

  /**
   * Stores the report of a farm's object, unless the farm is not listed or a newer report is stored.
   * @param at when the report was made, milliseconds since 1970 by the clock of the farm's object
   */
  async report(farm: string, report: FleetReport, at: number): Promise<void> {
    if (!this.#isIn('farms', farm)) return
    this.#list.report(farm, report, at)
    if (this.#notices?.reported() === true) await this.#arm()
  }

  /** @returns undefined when the farm is not listed */
  async entry(farm: string): Promise<FleetEntry | undefined> {
    return this.#list.entry(farm, Date.now())
  }

  /** @returns undefined when there is no such action, or no longer */
  async action(id: string): Promise<FleetAction | undefined> {
    return this.#actions.action(id)
  }

  async actions(): Promise<FleetActionSummary[]> {
    return this.#actions.list()
  }

  /** @returns the name of the object of the farm that was bound last; only that farm knows whether it is still bound */
  async discordFarm(serverId: string): Promise<string | undefined> {
    const [found] = this.ctx.storage.sql
      .exec('SELECT object FROM discordServers WHERE serverId = ?', serverId)
      .toArray()
    return found && String(found['object'])
  }

  /** All farms, sorted by name. Calls no farm: its object may be hibernating. */
  async list(): Promise<FleetEntry[]> {
    return this.#list.entries(Date.now())
  }

  /** Revokes the farms that were created or revoked incompletely, continues interrupted actions, and notifies. */
  override async alarm(): Promise<void> {
    this.#alarm.cleared()
    await this.#arm()
    this.#actions.resume()
    await Promise.all([
      this.#notices?.run(),
      ...this.#unfinished().map((farm) =>
        this.#inTurn(farm, async () => {
          if (this.#isIn('unfinished', farm)) await this.#end(farm)
        }).catch((error: unknown) =>
          edgeLog(this.env.LOG_LEVEL, farm).error(
            { cause: String(error) },
            'the farm could not be revoked; it is tried again',
          ),
        ),
      ),
    ])
    await this.#arm()
  }

  #changeKeys(wish: KeyWish): Promise<boolean> {
    switch (wish.what) {
      case 'create':
        return this.#create(wish)
      case 'rotate':
        return this.#rotate(wish)
      case 'revoke':
        return this.#revoke(wish)
    }
  }

  /**
   * A new farm whose object fails is not listed; if it was created anyway, the alarm revokes it.
   * @returns false for an existing farm, which stays unchanged
   */
  async #create({ farm, digests, asked }: WishOf<'create'>): Promise<boolean> {
    if (this.#isIn('unfinished', farm)) await this.#end(farm)
    if (this.#isIn('farms', farm)) return false
    await this.#begin(farm)
    try {
      const change = { ...asked, action: 'createFarm', status: 201 } as const
      await this.#farm(farm).change({ what: 'setKeys', digests, change }, asked.at)
    } catch (error) {
      await this.#end(farm).catch(() => {})
      throw error
    }
    this.ctx.storage.sql.exec(
      'INSERT INTO farms (farm, createdAt) VALUES (?, ?)',
      farm,
      new Date(asked.at).toISOString(),
    )
    await this.#finish(farm)
    return true
  }

  /** @returns whether there is such a farm */
  async #rotate({ farm, digests, oldEndsAt, asked }: WishOf<'rotate'>): Promise<boolean> {
    if (!this.#isIn('farms', farm) || this.#isIn('unfinished', farm)) return false
    const change = { ...asked, action: 'replaceFarmKeys', status: 200 } as const
    await this.#farm(farm).change({ what: 'setKeys', digests, change, oldEndsAt }, asked.at)
    return true
  }

  /**
   * Revokes also an unlisted farm, in case it was created incompletely. One whose object fails is listed until the alarm
   * revokes it, but not after a change that the object refuses.
   * @returns whether the farm was listed
   */
  async #revoke({ farm, asked }: WishOf<'revoke'>): Promise<boolean> {
    const wasListed = this.#isIn('farms', farm)
    const wasUnfinished = this.#isIn('unfinished', farm)
    await this.#begin(farm)
    try {
      await this.#end(farm, asked)
    } catch (error) {
      if (isTooLate(error) && !wasUnfinished) await this.#finish(farm)
      throw error
    }
    return wasListed
  }

  #note({ farm, notes }: WishOf<'note'>): FleetOutcome {
    if (!this.#isIn('farms', farm)) return { isDone: false }
    this.#list.note(farm, notes)
    const entry = this.#list.entry(farm, Date.now())
    return { isDone: true, ...(entry !== undefined && { entry }) }
  }

  #bindDiscord({ serverId, object }: WishOf<'bindDiscord'>): FleetOutcome {
    this.ctx.storage.sql.exec(
      'INSERT OR REPLACE INTO discordServers (serverId, object) VALUES (?, ?)',
      serverId,
      object,
    )
    return { isDone: true }
  }

  async #act({ request, asked }: WishOf<'act'>): Promise<FleetOutcome> {
    const id = this.#actions.begin(request, asked)
    if (id === undefined) return { isDone: false }
    await this.#arm()
    return { isDone: true, id }
  }

  #inTurn<T>(farm: string, run: () => Promise<T>): Promise<T> {
    const queue = this.#queues.get(farm) ?? oneAtATime()
    this.#queues.set(farm, queue)
    return queue.run(run).finally(() => {
      if (queue.isFree) this.#queues.delete(farm)
    })
  }

  /** If this object or the farm's ends between `#begin` and `#finish`, the alarm revokes the farm. */
  async #begin(farm: string): Promise<void> {
    this.ctx.storage.sql.exec('INSERT OR IGNORE INTO unfinished (farm) VALUES (?)', farm)
    await this.#arm()
  }

  /** @param asked not called for a farm that was created or revoked incompletely, which is revoked instead */
  async #end(farm: string, asked?: FleetRequest): Promise<void> {
    const change = asked && ({ ...asked, action: 'deleteFarm', status: 200 } as const)
    await this.#farm(farm).change({ what: 'revoke', change }, asked?.at ?? Date.now())
    this.#list.forget(farm)
    this.#actions.forget(farm)
    this.ctx.storage.sql.exec('DELETE FROM farms WHERE farm = ?', farm)
    this.ctx.storage.sql.exec('DELETE FROM discordServers WHERE object = ?', fleetFarm(farm))
    await this.#finish(farm)
  }

  async #finish(farm: string): Promise<void> {
    this.ctx.storage.sql.exec('DELETE FROM unfinished WHERE farm = ?', farm)
    await this.#arm()
  }

  /** Sets the only alarm for what is due first. A later request does not put it off. */
  async #arm(): Promise<void> {
    const isUnderWay = this.#unfinished().length > 0 || this.#actions.isRunning
    const next = Math.min(
      isUnderWay ? Date.now() + undoAfter : Number.POSITIVE_INFINITY,
      this.#notices?.nextAt ?? Number.POSITIVE_INFINITY,
    )
    if (Number.isFinite(next)) return this.#alarm.setFor(next)
    this.#alarm.cleared()
    await this.ctx.storage.deleteAlarm()
  }

  #farm(farm: string) {
    return this.env.FARM.getByName(fleetFarm(farm))
  }

  #isIn(table: 'farms' | 'unfinished', farm: string): boolean {
    return this.ctx.storage.sql.exec(`SELECT 1 FROM ${table} WHERE farm = ?`, farm).toArray().length > 0
  }

  #unfinished(): readonly string[] {
    return this.ctx.storage.sql
      .exec('SELECT farm FROM unfinished')
      .toArray()
      .map(({ farm }) => String(farm))
  }
}
