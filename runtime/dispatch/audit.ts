/**
 * Records every write that one server receives (docs/keys-and-records.md, "Audit"): a row when it begins, with the
 * outcome `unknown`, and its outcome before it is answered.
 */
import type { AuditedWrite, BegunWrite, WriteEnd } from '../../handlers/audit-entry.ts'
import { FarmError } from '../../handlers/farm-error.ts'
import { isStranger, type KeyHolder } from '../../handlers/key-holder.ts'
import { statusOf } from '../../handlers/problem-table.ts'
import { auditRowWithin, type Records } from '../../handlers/records.ts'
import { callerOf } from '../../lib/caller-address.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { onceAMinute } from '../../lib/once-a-minute.ts'
import { RateLimit } from '../../lib/rate-limit.ts'
import { withTimeLimit } from '../../lib/time-limit.ts'
import type { AuditMetrics } from '../http/metrics.ts'

export type Audit = ReturnType<typeof createAudit>

interface AuditParts extends Pick<Clock, 'monotonic'> {
  /** The edge records only the writes that it refuses; the farm records the forwarded ones. */
  readonly records: Pick<Records, 'beganWrite' | 'endedWrite'> | Pick<Records, 'recordWrite'>
  readonly metrics: AuditMetrics
  readonly log: Pick<Log, 'warn'>
  readonly newRequestId: () => string
}

/** Rows a minute of all wrong keys together, and of all writes of people without scopes. */
const rowsOfStrangers = 60

export function createAudit({ records, metrics, log, newRequestId, monotonic }: AuditParts) {
  const late = onceAMinute(
    (_row: undefined, rows) => log.warn({ rows }, 'rows of the audit were not confirmed in time'),
    monotonic,
  )
  const onceEach = new RateLimit(1, monotonic)
  const ofWrongKeys = new RateLimit(rowsOfStrangers, monotonic)
  const ofPeople = new RateLimit(rowsOfStrangers, monotonic)
  const isTooMany = (holder: KeyHolder) => isStranger(holder) && ofPeople.take('all') > 0
  /** @returns a function that writes the end of the row */
  const begin = (write: BegunWrite): ((how: WriteEnd) => Promise<void>) => {
    if (!('beganWrite' in records)) return (how) => records.recordWrite(write, how)
    const id = records.beganWrite(write)
    // `endedWrite` reports the error.
    id.catch(() => undefined)
    return async (how) => records.endedWrite(await id, how)
  }
  const end = async (row: ReturnType<typeof begin>, how: WriteEnd) => {
    metrics.ended(how.outcome)
    const written = row(how).catch(unlessUnavailable)
    await withTimeLimit(auditRowWithin, written, () => new Error('late')).catch(() => {
      metrics.late()
      late(undefined)
    })
  }
  const tooMany = { outcome: 'refused', status: statusOf('rate_limited') } as const
  return {
    /** @param parametersOfRefused called for a write that is refused before it begins */
    write(
      write: Omit<BegunWrite, 'key' | 'parameters'>,
      holder: KeyHolder,
      parametersOfRefused: () => BegunWrite['parameters'],
    ): AuditedWrite {
      const { id, name, account } = holder
      const known = { ...write, key: { id, name }, ...(account !== undefined && { account }) }
      let begun: ReturnType<typeof begin> | undefined
      let held: BegunWrite['parameters'] | undefined
      return {
        began(parameters) {
          if (isTooMany(holder)) held = parameters
          else begun = begin({ ...known, parameters })
        },
        async ended(status, mayBeMade) {
          const isBegun = begun !== undefined || held !== undefined
          const how = endOf(status, mayBeMade && isBegun)
          if (begun === undefined && how.outcome === 'refused' && (held !== undefined || isTooMany(holder)))
            return
          await end(begun ?? begin({ ...known, parameters: held ?? parametersOfRefused() }), how)
        },
      }
    },
    /** A key exceeds its rate of writes: a row `rateLimited` a minute and key. */
    limited(holder: KeyHolder, address: string) {
      const { id, name } = holder
      if (onceEach.take(`rateLimited ${id}`) > 0 || isTooMany(holder)) return
      const row = { requestId: newRequestId(), action: 'rateLimited', address, parameters: {} }
      void end(begin({ ...row, key: { id, name } }), tooMany)
    },
    /** The limit on wrong keys refuses this address: a row a minute and address, and sixty a minute together. */
    throttled(address: string) {
      if (onceEach.take(callerOf(address)) > 0 || ofWrongKeys.take('all') > 0) return
      const write = { requestId: newRequestId(), address, action: 'wrongKey', parameters: {} }
      void end(begin(write), tooMany)
    },
  }
}

/** While the farm is offline its rows are not expected. */
function unlessUnavailable(error: unknown): void {
  if (!(error instanceof FarmError) || error.failure.kind !== 'unavailable') throw error
}

/**
 * The outcome of a status.
 * @param mayBeMade the change may have been made although it failed
 */
export function endOf(status: number, mayBeMade: boolean): WriteEnd {
  if (mayBeMade) return { outcome: 'unknown', status }
  if (status < 400) return { outcome: 'done', status }
  return { outcome: status < 500 ? 'refused' : 'failed', status }
}
