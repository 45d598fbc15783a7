import type { DatabaseSync } from 'node:sqlite'
import * as v from 'valibot'
import { webhookRecord } from '../../handlers/webhook-record.ts'
import { parseJson, stringifyJson } from '../../lib/json.ts'
import { readableRows, type Skipped } from './readable-rows.ts'

const { events, format } = webhookRecord.entries

/** Times are milliseconds since 1970. */
export interface StoredWebhook {
  readonly id: string
  readonly name: string
  readonly url: string
  /** The key with which `standard` signs. */
  readonly secret?: Uint8Array
  readonly events: v.InferOutput<typeof events>
  readonly format: v.InferOutput<typeof format>
  readonly createdAt: number
  readonly disabledAt?: number
}

/** A webhook, and how many of its deliveries have not ended. */
export type WebhookWithQueue = StoredWebhook & { readonly waiting: number }

const row = v.object({
  id: v.string(),
  name: v.string(),
  url: v.string(),
  secret: v.nullable(v.instance(Uint8Array)),
  events: v.string(),
  format,
  createdAt: v.number(),
  disabledAt: v.nullable(v.number()),
  waiting: v.number(),
})

export function webhooksTable(db: DatabaseSync, skipped: Skipped) {
  const all = db.prepare(`SELECT *, (
      SELECT count(*) FROM deliveries WHERE webhookId = webhooks.id AND endedAt IS NULL
    ) AS waiting FROM webhooks WHERE deletedAt IS NULL ORDER BY createdAt, id`)
  const insert = db.prepare(
    'INSERT INTO webhooks (id, name, url, secret, events, format, createdAt) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  // The row stays, so that a deletion that was made while records were in memory reaches the disk; its secrets do
  // not.
  const remove = db.prepare(
    "UPDATE webhooks SET deletedAt = ?, url = '', secret = NULL WHERE id = ? AND deletedAt IS NULL",
  )
  const removeDeliveries = db.prepare('DELETE FROM deliveries WHERE webhookId = ?')
  const disable = db.prepare('UPDATE webhooks SET disabledAt = ? WHERE id = ?')
  const endAll = db.prepare(
    "UPDATE deliveries SET endedAt = ?, isDelivered = 0, error = 'gone' WHERE webhookId = ? AND endedAt IS NULL",
  )
  return {
    reads: {
      storedWebhooks: (): readonly WebhookWithQueue[] =>
        readableRows('webhooks', all.all(), (found) => webhookOf(v.parse(row, found)), skipped),
    },
    writes: {
      addWebhook({ id, name, url, secret, events, format, createdAt }: StoredWebhook): void {
        insert.run(id, name, url, secret ?? null, stringifyJson(events), format, createdAt)
      },
      /** @returns false when there is no such webhook */
      deleteWebhook(id: string, at: number): boolean {
        removeDeliveries.run(id)
        return remove.run(at, id).changes > 0
      },
      /** Its receiver no longer exists: nothing more is sent to it. */
      disableWebhook(id: string, at: number): void {
        disable.run(at, id)
        endAll.run(at, id)
      },
    },
  }
}

const webhookOf = ({ secret, events: stored, disabledAt, ...rest }: v.InferOutput<typeof row>) => ({
  ...rest,
  events: v.parse(events, parseJson(stored)),
  ...(secret !== null && { secret }),
  ...(disabledAt !== null && { disabledAt }),
})
