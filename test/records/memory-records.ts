/** Records in memory, without a thread: the tables are the real ones. */
import { randomBytes } from 'node:crypto'
import type { Records } from '../../handlers/records.ts'
import { digestOf } from '../../lib/keys.ts'
import type { Origin } from '../../services/records/audit-table.ts'
import { keepRecords } from '../../services/records/keeper.ts'
import { ringOf } from '../../services/records/own-key-ring.ts'
import { type OwnRecords, ownRecords } from '../../services/records/own-records.ts'

/** The records of the farm's own process; the database ends with the process. */
export function memoryOwnRecords(now: () => number = Date.now): OwnRecords {
  const { calls } = keepRecords({
    path: undefined,
    days: { audit: 90, history: 90, chat: 30 },
    onState: () => {},
    noted: () => {},
    now,
    monotonic: () => performance.now(),
    random: Math.random,
    soon: setImmediate,
  })
  return ownRecords({ calls, state: () => 'ok', now, randomBytes })
}

/** @param origin the origin of audit rows */
export const memoryRecords = (origin: Origin = 'local'): Records => memoryOwnRecords().of(origin)

/** Records in memory, and the keys of a farm with them. @param apiKey empty for none */
export async function memoryFarm(apiKey = '', now: () => number = Date.now) {
  const own = memoryOwnRecords(now)
  const keys = await ringOf(own, apiKey === '' ? undefined : digestOf(apiKey), now)
  return { records: own, keys }
}

/** For a link without named keys. */
export const noNamedKeys = { named: undefined, onChange: () => () => undefined }
