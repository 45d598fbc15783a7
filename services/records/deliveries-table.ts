/** Deliveries to webhooks, written before the first attempt, and their outcome. */
import type { DatabaseSync } from 'node:sqlite'
import * as v from 'valibot'
import { isoTime } from '../../handlers/iso-time.ts'
import {
  type Delivery,
  type DeliveryPage,
  type DeliveryQuery,
  delivery,
  type TryError,
  type WebhookEvent,
  webhookRecord,
} from '../../handlers/webhook-record.ts'
import type { Prune } from './prune.ts'
import { jsonColumn, pageOf, type Row, readableRows, type Skipped } from './readable-rows.ts'

/** Maximum of waiting deliveries of one webhook; the oldest of more are given up. */
const maxWaiting = 20_000
/** An event. */
export interface MadeEvent {
  readonly event: WebhookEvent
  /** The members of the event, as JSON. */
  readonly data: string
  /** Milliseconds since 1970. */
  readonly at: number
}

/** The outcome of an attempt. Times are milliseconds since 1970. */
export interface TriedDeliveries {
  readonly ids: readonly number[]
  readonly at: number
  /** Missing when there are no further attempts. */
  readonly nextAt?: number
  readonly isDelivered: boolean
  /** Whether it counts as one of the attempts of a delivery. */
  readonly counts: boolean
  readonly status?: number
  readonly error?: TryError
}

const number = v.number()
const flag = v.pipe(
  number,
  v.transform((value) => value === 1),
)
const storedDelivery = v.object({
  id: number,
  event: delivery.entries.event,
  data: v.string(),
  madeAt: number,
  /** A single attempt, made at once, whatever else waits. */
  isSingle: flag,
  /** How often it has failed. */
  tries: number,
  firstTriedAt: v.exactOptional(number),
  dueAt: number,
  triedAt: v.exactOptional(number),
  endedAt: v.exactOptional(number),
  isDelivered: v.exactOptional(flag),
  /** The HTTP status of the last attempt. */
  status: v.exactOptional(number),
  error: v.exactOptional(v.unwrap(delivery.entries.error)),
})
type StoredDelivery = Readonly<v.InferOutput<typeof storedDelivery>>
/** A delivery that has not ended. */
export type WaitingDelivery = Omit<StoredDelivery, 'endedAt' | 'isDelivered'>

export function deliveriesTable(db: DatabaseSync, skipped: Skipped) {
  const listeners = db.prepare(
    'SELECT id, events, format FROM webhooks WHERE deletedAt IS NULL AND disabledAt IS NULL',
  )
  const listener = v.object({
    id: v.string(),
    events: jsonColumn(v.array(v.string())),
    format: webhookRecord.entries.format,
  })
  const exists = db.prepare('SELECT 1 FROM webhooks WHERE id = ? AND deletedAt IS NULL')
  const newest = db.prepare('SELECT max(id) AS id FROM deliveries')
  const insert =
    db.prepare(`INSERT INTO deliveries (id, webhookId, event, data, madeAt, isSingle, tries, dueAt)
    VALUES (?, ?, ?, ?, ?, ?, 0, ?)`)
  const page = db.prepare('SELECT * FROM deliveries WHERE webhookId = ? AND id < ? ORDER BY id DESC LIMIT ?')
  const queue = db.prepare(`SELECT * FROM deliveries
    WHERE webhookId = ? AND endedAt IS NULL AND isSingle = ? ORDER BY id LIMIT ?`)
  const one = db.prepare('SELECT * FROM deliveries WHERE id = ?')
  const again = db.prepare('UPDATE deliveries SET endedAt = NULL, isSingle = 1, dueAt = ? WHERE id = ?')
  const hurry = db.prepare(`UPDATE deliveries SET dueAt = ?1 WHERE id = (SELECT min(id) FROM deliveries
    WHERE webhookId = (SELECT webhookId FROM deliveries WHERE id = ?2) AND endedAt IS NULL AND isSingle = 0)`)
  const tried = db.prepare(`UPDATE deliveries SET tries = tries + ?, firstTriedAt = coalesce(firstTriedAt, ?),
    triedAt = ?, dueAt = coalesce(?, dueAt), endedAt = ?, isDelivered = ?, status = ?, error = ? WHERE id = ?`)
  const waiting = db.prepare('SELECT count(*) AS rows FROM deliveries WHERE endedAt IS NULL')
  const ended = db.prepare(`DELETE FROM deliveries WHERE id IN (
    SELECT id FROM deliveries WHERE endedAt IS NOT NULL AND madeAt < ? ORDER BY madeAt LIMIT ?)`)
  const chat = db.prepare(`DELETE FROM deliveries WHERE id IN (
    SELECT id FROM deliveries WHERE event = 'chat.message' AND madeAt < ? ORDER BY madeAt LIMIT ?)`)
  const giveUp = db.prepare(`UPDATE deliveries
    SET endedAt = ?1, isDelivered = 0, error = 'too_many_waiting' WHERE id IN (
      SELECT id FROM deliveries WHERE webhookId = ?2 AND endedAt IS NULL AND isSingle = 0
      ORDER BY id DESC LIMIT -1 OFFSET ${maxWaiting})`)

  /** Ids are microseconds since 1970, and grow even if a clock goes back. */
  const nextId = (at: number) => Math.max(at * 1000, Number(newest.get()?.['id'] ?? 0) + 1)
  const read = (found: readonly Row[]) => readableRows('deliveries', found, storedDelivery, skipped)
  return {
    reads: {
      /**
       * What a webhook must get now, in order: a single one, or the first of the queue when it is due.
       * @param limit how many of the queue
       */
      dueDeliveries(webhookId: string, now: number, limit: number): readonly WaitingDelivery[] {
        // Several, so that a damaged one does not delay the next.
        const [single] = read(queue.all(webhookId, 1, 10))
        if (single !== undefined) return [single]
        const first = read(queue.all(webhookId, 0, limit))
        return first[0] !== undefined && isDue(first[0], now) ? first : []
      },
      waitingDeliveries: (): number => Number(waiting.get()?.['rows'] ?? 0),
      /** @returns undefined when there is no such webhook */
      deliveries({ id, before, limit }: DeliveryQuery): DeliveryPage | undefined {
        if (exists.get(id) === undefined) return undefined
        const found = page.all(id, before ?? Number.MAX_SAFE_INTEGER, limit + 1)
        const { rows, next } = pageOf(found, limit, 'id')
        return { deliveries: read(rows).map(shownOf), ...next }
      },
    },
    writes: {
      /**
       * Makes a delivery for each webhook with this event.
       * @param gathers milliseconds that chat lines wait before they go to Discord, so that they go out together
       * @returns how many
       */
      makeDeliveries({ event, data, at }: MadeEvent, gathers: number): number {
        const candidates = listeners.all().map((each) => v.parse(listener, each))
        const wanted = candidates.filter(({ events }) => events.includes(event))
        for (const { id, format } of wanted) {
          const wait = format === 'discord' && event === 'chat.message' ? gathers : 0
          insert.run(nextId(at), id, event, data, at, 0, at + wait)
          giveUp.run(at, id)
        }
        return wanted.length
      },
      /** @returns its id; undefined when there is no such webhook */
      makeTest(webhookId: string, data: string, at: number): string | undefined {
        if (exists.get(webhookId) === undefined) return undefined
        const id = nextId(at)
        insert.run(id, webhookId, 'test', data, at, 1, at)
        return String(id)
      },
      /** @returns false when there is no such delivery */
      replayDelivery(id: number, at: number): boolean {
        const found = one.get(id)
        if (found === undefined) return false
        if (found['endedAt'] === null) hurry.run(at, id)
        else again.run(at, id)
        return true
      },
      deliveriesTried({ ids, at, nextAt, isDelivered, counts, status, error }: TriedDeliveries): void {
        const end = nextAt === undefined ? at : null
        for (const id of ids)
          tried.run(
            counts ? 1 : 0,
            at,
            at,
            nextAt ?? null,
            end,
            end === null ? null : Number(isDelivered),
            status ?? null,
            error ?? null,
            id,
          )
      },
    },
    prunes: [
      { kept: 'history', run: (before, limit) => void ended.run(before, limit) },
      { kept: 'chat', run: (before, limit) => void chat.run(before, limit) },
    ] satisfies Prune[],
  }
}

/** Milliseconds by which a clock can be behind the last attempt without having been set back by hand. */
const smallStep = 60_000

/** A wait that began later than now is over: the clock was set back, and could be behind by hours or years. */
const isDue = ({ dueAt, triedAt, madeAt }: StoredDelivery, now: number): boolean =>
  dueAt <= now || (triedAt ?? madeAt) > now + smallStep

const shownOf = (found: StoredDelivery): Delivery => ({
  id: String(found.id),
  event: found.event,
  madeAt: isoTime(found.madeAt),
  state: found.endedAt === undefined ? 'waiting' : found.isDelivered ? 'delivered' : 'failed',
  tries: found.tries,
  ...(found.endedAt === undefined
    ? { nextTryAt: isoTime(found.dueAt) }
    : { endedAt: isoTime(found.endedAt) }),
  ...(found.status !== undefined && { status: found.status }),
  ...(found.error !== undefined && { error: found.error }),
})
