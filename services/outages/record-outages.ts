/** Records the outages of the game, by their cause, and those of farmgate itself, by the time for which it did not run. */
import type { KnownCause } from '../../handlers/cause.ts'
import { isOutage, type Outage } from '../../handlers/outages.ts'
import type { Records } from '../../handlers/records.ts'
import type { Clock } from '../../lib/clock.ts'
import { minutely } from '../../lib/once-a-minute.ts'
import type { KeptNumber } from '../records/numbers-table.ts'

export interface OutageParts extends Pick<Clock, 'now' | 'monotonic'> {
  readonly cause: () => KnownCause | undefined
  readonly calls: Pick<Records, 'outages'> & {
    keptNumber(name: KeptNumber): Promise<number | undefined>
  }
  readonly later: {
    keepNumber(name: KeptNumber, value: number | undefined): void
    outage(outage: Outage): void
  }
}

/** Milliseconds for which a cause stands before it is an outage. */
const lasting = 10_000
/** Milliseconds after which a time without a note that farmgate runs is an outage. */
const longestRestart = 120_000

export function recordOutages({ cause, calls, later, now, monotonic }: OutageParts) {
  let isBegun = false
  let isAsking = false
  let open: Outage | undefined
  const isNoteDue = minutely(monotonic)

  /** Ends what was open when farmgate stopped, and records that it did not run. */
  async function begin(): Promise<void> {
    const at = now()
    const [aliveAt, { outages, since }] = await Promise.all([calls.keptNumber('aliveAt'), calls.outages(at)])
    if (since === undefined) later.keepNumber('outagesSince', at)
    for (const outage of outages)
      if (outage.to === undefined) later.outage({ ...outage, to: Math.max(outage.from, aliveAt ?? at) })
    if (aliveAt !== undefined && at - aliveAt > longestRestart)
      later.outage({ of: 'farmgate', from: aliveAt, to: at })
    isBegun = true
  }

  function look(): void {
    if (isNoteDue()) later.keepNumber('aliveAt', now())
    const known = cause()
    const isOut = known !== undefined && isOutage(known.code)
    if (open === undefined && isOut && now() - known.since >= lasting) {
      open = { of: 'game', from: known.since, cause: known.code }
      later.outage(open)
    } else if (open !== undefined && !isOut) {
      later.outage({ ...open, to: Math.max(open.from, now()) })
      open = undefined
    }
  }

  return {
    /** Call it every second. Never rejects: records that do not answer are asked again. */
    async tick() {
      if (isAsking) return
      isAsking = true
      if (!isBegun) await begin().catch(() => undefined)
      if (isBegun) look()
      isAsking = false
    },
    /** Notes how long farmgate ran. */
    close() {
      if (isBegun) later.keepNumber('aliveAt', now())
    },
  }
}
