/**
 * Notifies the operator's webhook when the trouble of a farm has changed (docs/notifications.md). What is not delivered
 * yet is stored by the fleet object, and sent again by its alarm.
 */
import * as v from 'valibot'
import type { FleetEntry } from '../../handlers/fleet.ts'
import { backOff } from '../../lib/back-off.ts'
import type { Clock } from '../../lib/clock.ts'
import { stringifyJson } from '../../lib/json.ts'
import type { Message } from '../webhooks/message.ts'
import { standardMessage } from '../webhooks/standard.ts'
import type { KeyValues, Sql } from './storage.ts'

/** Milliseconds for which a farm's trouble may come and go unnoticed, so that a short restart notifies no one. */
const patience = 120_000
/** Milliseconds between two checks, because some trouble comes with time alone. */
const checkEvery = 3_600_000
/** Milliseconds before an undelivered notice is sent again. */
const retries = { first: 20_000, max: 3_600_000 } as const
/** Milliseconds for which a notice is sent again. */
const triedFor = 86_400_000
const checkPlace = 'fleetCheckAt'

const notice = v.object({
  id: v.number(),
  event: v.string(),
  data: v.string(),
  madeAt: v.number(),
  tries: v.number(),
})

export type FleetNotices = ReturnType<typeof fleetNotices>

interface FleetNoticesParts extends Pick<Clock, 'now' | 'random'> {
  readonly storage: { readonly sql: Sql; readonly kv: KeyValues }
  readonly secret: Uint8Array
  farms(): readonly Pick<FleetEntry, 'farm' | 'trouble'>[]
  /** @returns whether it arrived; never throws */
  post(message: Message): Promise<boolean>
}

/** Makes its tables where they are missing. */
export function fleetNotices(parts: FleetNoticesParts) {
  const { farms, post, now, random, secret } = parts
  const { sql, kv } = parts.storage
  for (const table of [
    'CREATE TABLE IF NOT EXISTS noticed (farm TEXT PRIMARY KEY, trouble TEXT NOT NULL) WITHOUT ROWID',
    'CREATE TABLE IF NOT EXISTS notices (id INTEGER PRIMARY KEY, event TEXT NOT NULL, data TEXT NOT NULL, madeAt INTEGER NOT NULL, tries INTEGER NOT NULL, dueAt INTEGER NOT NULL)',
  ])
    sql.exec(table)
  let isSending = false
  const checkAt = () => v.parse(v.optional(v.number()), kv.get(checkPlace))
  const dueAt = () => {
    const [{ at } = {}] = sql.exec('SELECT MIN(dueAt) AS at FROM notices').toArray()
    return typeof at === 'number' ? at : undefined
  }

  function check(): void {
    kv.put(checkPlace, now() + checkEvery)
    const before = new Map(
      sql
        .exec('SELECT farm, trouble FROM noticed')
        .toArray()
        .map((row) => [String(row['farm']), String(row['trouble'])]),
    )
    for (const { farm, trouble: all } of farms()) {
      // The operator has just created the farm, and links it next.
      const trouble = all.filter((code) => code !== 'never_linked')
      const noticed = before.get(farm) ?? ''
      before.delete(farm)
      if (trouble.join() === noticed) continue
      sql.exec('INSERT OR REPLACE INTO noticed (farm, trouble) VALUES (?, ?)', farm, trouble.join())
      const event = trouble.length === 0 ? 'farm.recovered' : 'farm.trouble'
      sql.exec(
        'INSERT INTO notices (event, data, madeAt, tries, dueAt) VALUES (?, ?, ?, 0, ?)',
        ...[event, stringifyJson({ farm, trouble }), now(), now()],
      )
    }
    // Deleted farms.
    for (const farm of before.keys()) sql.exec('DELETE FROM noticed WHERE farm = ?', farm)
  }

  async function sendDue(): Promise<void> {
    for (;;) {
      const [found] = sql.exec('SELECT * FROM notices WHERE dueAt <= ? ORDER BY id LIMIT 1', now()).toArray()
      if (found === undefined) return
      const { id, madeAt, tries, ...rest } = v.parse(notice, found)
      const isOver =
        (await post(await standardMessage({ ...rest, id, madeAt }, secret, now()))) ||
        now() - madeAt > triedFor
      if (isOver) sql.exec('DELETE FROM notices WHERE id = ?', id)
      else
        sql.exec(
          'UPDATE notices SET tries = ?, dueAt = ? WHERE id = ?',
          ...[tries + 1, now() + backOff(retries, tries + 1, random()), id],
        )
    }
  }

  return {
    /** Call this when a farm has reported. @returns whether `nextAt` has changed */
    reported(): boolean {
      const soon = now() + patience
      if ((checkAt() ?? Number.POSITIVE_INFINITY) <= soon) return false
      kv.put(checkPlace, soon)
      return true
    },
    /** Compares the farms with what was notified, and sends what is due. Call it at `nextAt`. */
    async run() {
      if ((checkAt() ?? Number.POSITIVE_INFINITY) <= now()) check()
      if (isSending) return
      isSending = true
      await sendDue().finally(() => {
        isSending = false
      })
    },
    /** Milliseconds since 1970; undefined for never. */
    get nextAt(): number | undefined {
      const next = Math.min(checkAt() ?? Number.POSITIVE_INFINITY, dueAt() ?? Number.POSITIVE_INFINITY)
      return Number.isFinite(next) ? next : undefined
    },
  }
}

/** Milliseconds for a receiver. */
const postTimeout = 10_000

/** @returns whether it arrived; never throws */
export async function postNotice(url: string, { headers, body }: Message): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(postTimeout)
    const answer = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal })
    await answer.body?.cancel()
    return answer.ok
  } catch {
    return false
  }
}
