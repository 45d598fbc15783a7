import { join } from 'node:path'
import type { StoredWrite } from '../../../services/records/audit-table.ts'
import { databaseFile } from '../../../services/records/database.ts'
import type { StateChange } from '../../../services/records/database-in-use.ts'
import { type KeeperParts, keepRecords } from '../../../services/records/keeper.ts'
import { agreesFor } from '../../../services/records/steady-clock.ts'
import type { StoredWebhook } from '../../../services/records/webhooks-table.ts'
import { newFolder } from '../../new-folder.ts'

/** A database file in a new folder, which is not made yet. */
export const newPath = (): string => join(newFolder(), 'data', databaseFile)

export const startedAt = 1_700_000_000_000
/** Row 1 of the tests: ids are microseconds since 1970. */
export const rowId = (row: number): number => startedAt * 1000 + row

/** A write that has begun, as it is stored. */
export const aWrite = (row: number, more: Partial<StoredWrite> = {}): StoredWrite => ({
  id: rowId(row),
  at: startedAt,
  origin: 'local',
  requestId: `request-${row}`,
  address: '127.0.0.1',
  action: 'setTime',
  parameters: {},
  ...more,
})

/** A named key, as it is stored. */
export const aKey = (id: string) => ({
  id,
  name: 'bot',
  scopes: ['chat'] as const,
  digest: new Uint8Array(32).fill(7),
  createdAt: 1,
})

/** A webhook, as it is stored. */
export const aWebhook = {
  id: 'hook',
  name: 'a webhook',
  url: 'https://example.com/',
  events: ['farm.online'],
  format: 'text',
  createdAt: 1,
} satisfies StoredWebhook

export function aKeeper(path: string, given: Partial<KeeperParts> = {}) {
  const changes: StateChange[] = []
  const notes: string[] = []
  /** The wall clock is ahead of the monotonic one by the set amount. */
  const clock = { now: startedAt, ahead: 0 }
  const keeper = keepRecords({
    path,
    days: { audit: 90, history: 90, chat: 30 },
    onState: (change) => changes.push(change),
    noted: (_fields, message) => notes.push(message),
    now: () => clock.now + clock.ahead,
    monotonic: () => clock.now,
    random: () => 0.5,
    soon: setImmediate,
    ...given,
  })
  /** Writes that began and ended, one for each row. */
  const write = async (...rows: readonly number[]) => {
    await Promise.all(
      rows.map(rowId).flatMap((id) => [
        keeper.calls.beganWrite({
          id,
          at: clock.now,
          origin: 'local',
          requestId: `request-${id}`,
          key: { id: 'api_key', name: 'API_KEY' },
          address: '127.0.0.1',
          action: 'setTime',
          parameters: { value: '1200' },
        }),
        keeper.calls.endedWrite({ id, origin: 'local', end: { outcome: 'done', status: 200 } }),
      ]),
    )
  }
  return {
    keeper,
    calls: keeper.calls,
    changes,
    notes,
    clock,
    write,
    /** The newest rows, newest first. */
    rows: async (limit = 500) =>
      (await keeper.calls.audit({ limit })).entries.map(({ id }) => Number(id) - rowId(0)),
    /** Three hours pass, after which rows are removed by their age. */
    becomeSteady() {
      clock.now += agreesFor
      keeper.tick()
    },
    /** Seconds pass, with a tick in each. */
    pass(seconds: number) {
      for (let second = 0; second < seconds; second += 1) {
        clock.now += 1000
        keeper.tick()
      }
    },
  }
}
