/**
 * Keeps the records in a database on the disk. Writes that arrive during a commit are committed together next. While
 * the disk is unusable the same tables are kept in memory, and their rows are copied to the disk as soon as it is
 * usable again. A keeper is synchronous and blocks, so it runs in a separate thread (`thread.ts`).
 */
import type { Deletion } from '../../handlers/deletion.ts'
import type { EndedWrite, StoredWrite } from './audit-table.ts'
import { rowCounts } from './copy-rows.ts'
import { type DatabaseInUseParts, databaseInUse, inTransaction } from './database-in-use.ts'
import { type KeptDays, pruneSome } from './prune.ts'
import { steadyClock } from './steady-clock.ts'
import { deletions, type Tables } from './tables.ts'

type Everything = Tables['reads'] & Tables['writes'] & Tables['later']
type Asked<Call> = Call extends (...args: infer Args) => infer Answer
  ? (...args: Args) => Promise<Answer>
  : never
/** The reads and writes, each by its name in `tables.ts`. */
type TableCalls = { readonly [Name in keyof Everything]: Asked<Everything[Name]> }

type DeletionName = (typeof deletions)[number]
/** A deletion answers `memory` while it is not on the disk. */
type DeletionCalls = {
  readonly [Name in DeletionName]: (...args: Parameters<Everything[Name]>) => Promise<Deletion>
}

export interface KeeperCalls extends Omit<TableCalls, DeletionName>, DeletionCalls {
  /**
   * `beganWrite` and `endedWrite`, many at once. @returns when all are committed; an error when one of them is wrong
   */
  audited(begun: readonly StoredWrite[], ended: readonly EndedWrite[]): Promise<void>
}

export interface KeeperParts extends DatabaseInUseParts {
  readonly days: KeptDays
  /** Runs a function soon, after what has already arrived. */
  readonly soon: (run: () => void) => void
}

const day = 86_400_000
/**
 * Milliseconds between two counts of all rows, for which SQLite reads a whole index of each table; writes wait
 * meanwhile.
 */
const countEvery = 60_000
/** Milliseconds between two removals of deleted rows. */
const forgetEvery = 60_000

/** What the keeper has done since it began, and what it keeps now. */
export interface Measured {
  readonly commits: number
  /** Of all commits together. */
  readonly commitSeconds: number
  /** Of each table, as counted at most a minute ago. */
  readonly rowsOf: Readonly<Record<string, number>>
}

interface Waiting {
  readonly run: (tables: Tables) => unknown
  readonly resolve?: (answer: unknown) => void
  readonly reject?: (error: unknown) => void
}

/** Opens the database, or begins in memory. */
export function keepRecords(parts: KeeperParts) {
  const { days, now, monotonic, soon, noted } = parts
  const database = databaseInUse(parts)
  let waiting: Waiting[] = []
  let isDue = false
  let commits = 0
  let synced = 0
  let commitSeconds = 0
  const clock = steadyClock(now, monotonic, (milliseconds) =>
    noted(
      { days: Math.round(milliseconds / day) },
      'the wall clock has jumped: records are not removed by age until it is back or farmgate is restarted',
    ),
  )
  let nextForget = Number.NEGATIVE_INFINITY
  let counted: { readonly at: number; readonly rowsOf: Measured['rowsOf'] } | undefined
  const commit = (batch: readonly Waiting[]): readonly unknown[] => {
    const began = monotonic()
    try {
      return database.run(({ db, tables }) => inTransaction(db, () => batch.map(({ run }) => run(tables))))
    } finally {
      commits += 1
      commitSeconds += (monotonic() - began) / 1000
    }
  }

  const flush = () => {
    isDue = false
    const batch = waiting
    waiting = []
    if (batch.length === 0) return
    try {
      const answers = commit(batch)
      for (const [at, { resolve }] of batch.entries()) resolve?.(answers[at])
    } catch {
      // One of them is wrong: write each separately, so that the others are written.
      for (const one of batch) {
        try {
          one.resolve?.(commit([one])[0])
        } catch (error) {
          one.reject?.(error)
        }
      }
    }
  }

  const read = async (run: Waiting['run']) => {
    flush()
    return database.run(({ tables }) => run(tables))
  }
  const write = (run: Waiting['run']) =>
    new Promise((resolve, reject) => {
      waiting.push({ run, resolve, reject })
      if (!isDue) soon(flush)
      isDue = true
    })
  const later = async (run: Waiting['run']) => void waiting.push({ run })

  const calls = tableCalls(
    { reads: read, writes: write, later },
    database.run(({ tables }) => tables),
  )

  const whereStored = async (isMade: Promise<boolean>): Promise<Deletion> =>
    (await isMade) && (database.storeDeletions() || 'memory')

  const deletionCalls = Object.fromEntries(
    deletions.map((name) => {
      const call: (...args: never[]) => Promise<boolean> = calls[name]
      return [name, (...args: never[]) => whereStored(call(...args))]
    }),
    // The compiler cannot infer that the object has exactly these calls.
  ) as unknown as DeletionCalls

  return {
    /**
     * Reads also see uncommitted rows. Writes answer when they are committed; later writes are committed with the next
     * of them, or by `tick`. An error means that the call was wrong: trouble with the disk makes none.
     */
    calls: {
      ...calls,
      ...deletionCalls,
      async audited(begun, ended) {
        try {
          await write(({ writes }) => {
            for (const one of begun) writes.beganWrite(one)
            for (const one of ended) writes.endedWrite(one)
          })
        } catch {
          // One of them is wrong: write each separately, so that the others are written.
          await Promise.all([
            ...begun.map((one) => calls.beganWrite(one)),
            ...ended.map((one) => calls.endedWrite(one)),
          ])
        }
      },
    } satisfies KeeperCalls,
    measured(): Measured {
      if (counted === undefined || monotonic() - counted.at >= countEvery)
        counted = { at: monotonic(), rowsOf: database.run(({ db }) => rowCounts(db)) }
      return { commits, commitSeconds, rowsOf: counted.rowsOf }
    },
    /** Call this every second. */
    tick() {
      database.tick()
      flush()
      // Not with each commit: a sync takes longer than a whole write (CONTRIBUTING.md).
      if (synced < commits) database.sync()
      synced = commits
      const isSteady = clock.isSteady()
      database.run(({ db, tables }) =>
        inTransaction(db, () => {
          pruneSome(tables.prunes, days, now(), isSteady)
          if (!isSteady || !database.isOnDisk || monotonic() < nextForget) return
          nextForget = monotonic() + forgetEvery
          tables.forgetDeleted(now())
        }),
      )
    },
    close() {
      flush()
      database.close()
    },
  }
}

type Kind = 'reads' | 'writes' | 'later'
type Perform = (run: Waiting['run']) => Promise<unknown>

/** Makes the calls from one function for each kind. @param names has every call */
const tableCalls = (perform: Readonly<Record<Kind, Perform>>, names: Tables): TableCalls =>
  // The compiler cannot infer that the object has exactly the calls of the tables.
  Object.fromEntries(
    (['reads', 'writes', 'later'] as const).flatMap((kind) =>
      Object.keys(names[kind]).map((name) => [
        name,
        (...args: unknown[]) => perform[kind]((tables) => Reflect.get(tables[kind], name)(...args)),
      ]),
    ),
  ) as unknown as TableCalls
