/**
 * The changes of a farm by the operator of its fleet, until the farm has them in its audit (docs/keys-and-records.md).
 * They are stored, because the farm may be linked much later, and sent again when a link broke before the answer.
 */
import * as v from 'valibot'
import { type FleetChange, fleetChange } from '../../handlers/audit-entry.ts'
import type { Records } from '../../handlers/records.ts'
import type { KeyValues } from './storage.ts'

/** Maximum of waiting changes; the oldest are dropped first. */
const maxWaiting = 100
const place = 'fleetChanges'
const stored = v.optional(v.array(fleetChange), [])

export type FleetChanges = ReturnType<typeof fleetChanges>

interface FleetChangesParts {
  readonly storage: KeyValues
  readonly records: Pick<Records, 'fleetChanged'>
}

export function fleetChanges({ storage, records }: FleetChangesParts) {
  let waiting = v.parse(stored, storage.get(place))
  let isReporting = false
  let hasFailed = false
  let isStopped = false
  const keep = (next: readonly FleetChange[]) => {
    waiting = [...next]
    if (!isStopped) storage.put(place, waiting)
  }
  const reportAll = async () => {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      const sent = next
      await records.fleetChanged(sent)
      keep(waiting.filter((one) => one !== sent))
    }
  }
  return {
    add: (change: FleetChange) => keep([...waiting, change].slice(-maxWaiting)),
    /** Sends the farm what waits, unless that failed on this link. Call this while the farm is linked. */
    report() {
      if (isReporting || hasFailed || waiting.length === 0) return
      isReporting = true
      void reportAll()
        .catch(() => {
          hasFailed = true
        })
        .finally(() => {
          isReporting = false
        })
    },
    /** Call this when a link was opened. */
    linked() {
      hasFailed = false
    },
    /** The farm was deleted: stores nothing more. */
    stop() {
      isStopped = true
    },
  }
}
