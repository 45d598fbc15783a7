import type { DatabaseSync } from 'node:sqlite'
import * as v from 'valibot'
import { webhookRecord } from '../../handlers/webhook-record.ts'
import { stringifyJson } from '../../lib/json.ts'
import { blob, jsonColumn, readableRows, type Skipped } from './readable-rows.ts'
import { addWithinLimit } from './within-limit.ts'

const { events, format } = webhookRecord.entries

/** A webhook. Times are milliseconds since 1970. */
const storedWebhook = v.object({
  id: v.string(),
  name: v.string(),
  url: v.string(),
  /** The key with which `standard` signs. */
  secret: v.exactOptional(blob),
  events: jsonColumn(events),
  format,
  createdAt: v.number(),
  disabledAt: v.exactOptional(v.number()),
  /** How many of its deliveries have not ended. */
  waiting: v.number(),
})
export type WebhookWithQueue = Readonly<v.InferOutput<typeof storedWebhook>>
export type StoredWebhook = Omit<WebhookWithQueue, 'waiting'>

export function webhooksTable(db: DatabaseSync, skipped: Skipped) {
  const all = db.prepare(`SELECT *, (
      SELECT count(*) FROM deliveries WHERE webhookId = webhooks.id AND endedAt IS NULL
    ) AS waiting FROM webhooks WHERE deletedAt IS NULL ORDER BY createdAt, id`)
  const insert = db.prepare(
    'INSERT INTO webhooks (id, name, url, secret, events, format, createdAt) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  const count = db.prepare('SELECT count(*) AS rows FROM webhooks WHERE deletedAt IS NULL')
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
        readableRows('webhooks', all.all(), storedWebhook, skipped),
    },
    writes: {
      /** @returns false when there are too many */
      addWebhook: ({ id, name, url, secret, events, format, createdAt }: StoredWebhook): boolean =>
        addWithinLimit(
          'webhooks',
          () => Number(count.get()?.['rows']),
          () => insert.run(id, name, url, secret ?? null, stringifyJson(events), format, createdAt),
        ),
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
