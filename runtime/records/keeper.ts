/**
 * Keeps the records in a database on the disk. What is written while the last commit runs is committed together next.
 * While the disk cannot be used the same tables are kept in memory, and their rows are copied to the disk as soon as it
 * can be used again. A keeper is synchronous and blocks: it runs in a thread of its own (`thread.ts`).
 */
import type { DatabaseSync } from 'node:sqlite'
import type { RecordsState } from '../../handlers/records.ts'
import { backOff } from '../../process/back-off.ts'
import { copyRows, deleteOldest, rowCounts, tableNames } from './copy-rows.ts'
import { type DatabaseOptions, inodeOf, openDatabase, openMemory, putAside } from './database.ts'
import { type DiskTrouble, troubleOf } from './disk-trouble.ts'
import { migrations } from './migrations.ts'
import { type KeptDays, pruneSome } from './prune.ts'
import { carriedOver, type Tables, tables } from './tables.ts'

type Everything = Tables['reads'] & Tables['writes'] & Tables['later']
type Asked<Call> = Call extends (...args: infer Args) => infer Answer
  ? (...args: Args) => Promise<Answer>
  : never
/** What can be read and written, each by its name in `tables.ts`. */
export type KeeperCalls = { readonly [Name in keyof Everything]: Asked<Everything[Name]> }

export interface StateChange {
  readonly state: RecordsState
  readonly trouble?: DiskTrouble
  /** What SQLite or the file system said. */
  readonly cause?: string
  /** Where a corrupt database was put. */
  readonly aside?: string
}

export interface KeeperParts extends Partial<DatabaseOptions> {
  /** Of the database; undefined for one that is in memory only. */
  readonly path: string | undefined
  readonly days: KeptDays
  readonly onState: (change: StateChange) => void
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Milliseconds, never running backwards. */
  readonly monotonic: () => number
  /** 0 to 1. */
  readonly random: () => number
  /** Runs a function soon, after what has already arrived. */
  readonly soon: (run: () => void) => void
}

/** What the keeper has done since it began, and what it keeps now. */
export interface Measured {
  readonly commits: number
  /** Of all commits together. */
  readonly commitSeconds: number
  readonly rowsOf: Readonly<Record<string, number>>
}

export interface Keeper {
  /**
   * Reads also see what is not committed yet. Writes answer when they are committed; what is written later is committed
   * with the next of them, or by `tick`. An error means that the call was wrong: trouble with the disk makes none.
   */
  readonly calls: KeeperCalls
  measured(): Measured
  /** To be called every second. */
  tick(): void
  close(): void
}

interface Waiting {
  readonly run: (tables: Tables) => unknown
  readonly resolve?: (answer: unknown) => void
  readonly reject?: (error: unknown) => void
}

/** One database that is open, with its prepared statements. */
interface Opened {
  readonly db: DatabaseSync
  readonly tables: Tables
}

const retry = { first: 1000, max: 60_000 } as const

function opened(db: DatabaseSync): Opened {
  try {
    return { db, tables: tables(db) }
  } catch (error) {
    db.close()
    throw error
  }
}

function inTransaction<Result>(db: DatabaseSync, run: () => Result): Result {
  db.exec('BEGIN IMMEDIATE')
  try {
    const result = run()
    db.exec('COMMIT')
    return result
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}

/** Opens the database, or begins in memory. */
export function keepRecords(parts: KeeperParts): Keeper {
  const { path, days, onState, now, monotonic, random, soon } = parts
  const options: DatabaseOptions = { migrations, ...parts }
  let waiting: Waiting[] = []
  let isDue = false
  let failures = 0
  let retryAt = Number.NEGATIVE_INFINITY
  let inode: number | undefined
  let memory: Opened | undefined
  let disk: Opened | undefined

  /** @throws what opening or copying throws */
  const toDisk = (file: string) => {
    const next = opened(openDatabase(file, options))
    try {
      const kept = memory
      if (kept !== undefined) inTransaction(next.db, () => copyRows(kept.db, next.db, tableNames(kept.db)))
    } catch (error) {
      next.db.close()
      throw error
    }
    disk = next
    inode = inodeOf(file)
    memory?.db.close()
    memory = undefined
    failures = 0
    onState({ state: 'ok' })
  }

  const aside = (file: string): string | undefined => {
    try {
      return putAside(file, now())
    } catch {
      return undefined
    }
  }

  /** Goes on in memory. */
  const toMemory = (trouble: DiskTrouble, error: unknown): Opened => {
    const isNew = memory === undefined
    const kept = memory ?? opened(openMemory(options.migrations))
    memory = kept
    if (disk !== undefined) {
      try {
        copyRows(disk.db, kept.db, carriedOver)
      } catch {
        // The disk cannot be read either.
      }
      try {
        disk.db.close()
      } catch {
        // A corrupt database may fail here too; its file is put aside all the same.
      }
      disk = undefined
    }
    failures += 1
    retryAt = monotonic() + backOff(retry, failures, random())
    const moved = trouble === 'corrupt' && path !== undefined ? aside(path) : undefined
    if (isNew || moved !== undefined)
      onState({
        state: 'failed',
        trouble,
        cause: error instanceof Error ? error.message : String(error),
        ...(moved !== undefined && { aside: moved }),
      })
    return kept
  }

  const tryDisk = () => {
    if (path === undefined || disk !== undefined || monotonic() < retryAt) return
    try {
      toDisk(path)
    } catch (error) {
      toMemory(troubleOf(error) ?? 'unusable', error)
    }
  }

  /** Runs on the disk, or in memory when the disk cannot; an error that is not the disk's is thrown. */
  const onDatabase = <Result>(run: (database: Opened) => Result): Result => {
    if (disk !== undefined) {
      try {
        return run(disk)
      } catch (error) {
        const trouble = troubleOf(error)
        if (trouble === undefined) throw error
        toMemory(trouble, error)
      }
    }
    const kept = memory ?? toMemory('unusable', new Error('not open'))
    try {
      return run(kept)
    } catch (error) {
      if (troubleOf(error) !== 'full') throw error
      deleteOldest(
        kept.db,
        tableNames(kept.db).filter((table) => !carriedOver.includes(table)),
      )
      return run(kept)
    }
  }

  let commits = 0
  let commitSeconds = 0
  const commit = (batch: readonly Waiting[]): readonly unknown[] => {
    const began = monotonic()
    try {
      return onDatabase(({ db, tables }) => inTransaction(db, () => batch.map(({ run }) => run(tables))))
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
      // One of them is wrong: each for itself, so that the others are written.
      for (const one of batch) {
        try {
          one.resolve?.(commit([one])[0])
        } catch (error) {
          one.reject?.(error)
        }
      }
    }
  }

  const checkFile = () => {
    if (path === undefined || disk === undefined || inodeOf(path) === inode) return
    toMemory('vanished', new Error('the file is no longer there'))
  }

  if (path === undefined) memory = opened(openMemory(options.migrations))
  else tryDisk()

  const read = async (run: Waiting['run']) => {
    flush()
    return onDatabase(({ tables }) => run(tables))
  }
  const write = (run: Waiting['run']) =>
    new Promise((resolve, reject) => {
      waiting.push({ run, resolve, reject })
      if (!isDue) soon(flush)
      isDue = true
    })
  const later = async (run: Waiting['run']) => void waiting.push({ run })

  return {
    calls: callsOf(
      { reads: read, writes: write, later },
      onDatabase(({ tables }) => tables),
    ),
    measured: () => ({ commits, commitSeconds, rowsOf: onDatabase(({ db }) => rowCounts(db)) }),
    tick() {
      checkFile()
      tryDisk()
      flush()
      onDatabase(({ db, tables }) => inTransaction(db, () => pruneSome(tables.prunes, days, now())))
    },
    close() {
      flush()
      disk?.db.close()
      memory?.db.close()
    },
  }
}

type Kind = 'reads' | 'writes' | 'later'
type Perform = (run: Waiting['run']) => Promise<unknown>

/** Makes the calls out of one function for each kind of them. @param names has every call */
const callsOf = (perform: Readonly<Record<Kind, Perform>>, names: Tables): KeeperCalls =>
  // The compiler cannot infer that the object has exactly the calls of the tables.
  Object.fromEntries(
    (['reads', 'writes', 'later'] as const).flatMap((kind) =>
      Object.keys(names[kind]).map((name) => [
        name,
        (...args: unknown[]) => perform[kind]((tables) => Reflect.get(tables[kind], name)(...args)),
      ]),
    ),
  ) as unknown as KeeperCalls
