/**
 * The database that the records use now: the one on the disk, or one in memory while the disk is unusable. Its rows
 * are copied to the disk as soon as it is usable again.
 */
import { dirname, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { RecordsState } from '../../handlers/records.ts'
import { backOff } from '../../lib/back-off.ts'
import type { Clock } from '../../lib/clock.ts'
import { onceAMinute } from '../../lib/once-a-minute.ts'
import { copyRows, deleteOldest, rowCounts, tableNames } from './copy-rows.ts'
import {
  type DatabaseOptions,
  identityOf,
  openDatabase,
  openMemory,
  putAside,
  requireFile,
  syncDatabase,
} from './database.ts'
import { type DiskTrouble, troubleOf } from './disk-trouble.ts'
import { migrations } from './migrations.ts'
import type { Skipped } from './readable-rows.ts'
import { fillReserve, releaseReserve, reserveFile } from './reserve.ts'
import { salvage } from './salvage.ts'
import { carriedOver, deletionRows, keptInMemory, tables } from './tables.ts'

export interface StateChange {
  readonly state: RecordsState
  readonly trouble?: DiskTrouble
  /** The message of SQLite or the file system. */
  readonly cause?: string
  /** Where a corrupt database was moved. */
  readonly aside?: string
}

export interface DatabaseInUseParts
  extends Partial<DatabaseOptions>,
    Pick<Clock, 'now' | 'monotonic' | 'random'> {
  /** Of the database; undefined for one that is in memory only. */
  readonly path: string | undefined
  /** The one in memory, where it is kept longer than these records. */
  readonly memory?: DatabaseSync
  readonly onState: (change: StateChange) => void
  /** Called with a warning for the log. */
  readonly noted: (fields: object, message: string) => void
  /** Syncs the log of the database, given its path; a parameter, because no test can see it done. */
  readonly syncLog?: (path: string) => void
  /** Whether no other database waits for this thread: reading a corrupt one takes many seconds. */
  readonly isAlone?: () => boolean
  /** Whether the disk has less room than its reserve, which records leave to others (`lib/free-space.ts`). */
  readonly isLow?: () => boolean
}

/** One open database with its prepared statements. */
type Opened = ReturnType<typeof opened>

/** Of SQLite; unlimited. */
const mostPages = 0xfffffffe
const retry = { first: 1000, max: 60_000 } as const

function opened(db: DatabaseSync, skipped: Skipped) {
  try {
    return { db, tables: tables(db, skipped) }
  } catch (error) {
    db.close()
    throw error
  }
}

export function inTransaction<Result>(db: DatabaseSync, run: () => Result): Result {
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

/** Opens the database on the disk, or begins in memory. */
export function databaseInUse(parts: DatabaseInUseParts) {
  const { path, onState, noted, now, monotonic, random, isLow = () => false, isAlone = () => true } = parts
  const options: DatabaseOptions = { migrations, ...parts }
  let failures = 0
  let retryAt = Number.NEGATIVE_INFINITY
  let identity: string | undefined
  let memory: Opened | undefined
  /** A corrupt database whose rows are read when there is a new one. */
  let damaged: string | undefined
  let disk: Opened | undefined
  /** Why this thread cannot keep it. */
  let foundCorrupt: unknown

  const skipped = onceAMinute(
    ({ table, cause }: { readonly table: string; readonly cause: string }, times) =>
      noted({ table, cause, times }, 'damaged rows of the records are left out'),
    monotonic,
  )
  const skip: Skipped = (table, error) => skipped({ table, cause: String(error) })

  /** Copies the readable rows of a corrupt database. @throws only where there is no room for it */
  const rescue = (file: string, { db, tables: into }: Opened, names: readonly string[]): void => {
    try {
      const rows = inTransaction(db, () => {
        const copied = salvage(file, db, names)
        into.copied()
        return copied
      })
      if (db !== memory?.db) noted({ rows }, 'rows of the corrupt database are kept')
    } catch (error) {
      if (troubleOf(error) === 'full') throw error
      noted({ cause: String(error) }, 'the corrupt database cannot be read')
    }
  }

  /** @throws the error of opening or copying */
  const toDisk = (file: string) => {
    requireFile(join(dirname(file), reserveFile))
    const next = opened(openDatabase(file, options), skip)
    try {
      limitSize(next.db)
      const kept = memory
      if (kept !== undefined)
        inTransaction(next.db, () => {
          copyRows(kept.db, next.db)
          next.tables.copied()
        })
      if (damaged !== undefined) rescue(damaged, next, tableNames(next.db))
      damaged = undefined
      syncDatabase(next.db, file)
    } catch (error) {
      next.db.close()
      throw error
    }
    disk = next
    identity = identityOf(file)
    memory?.db.close()
    memory = undefined
    failures = 0
    fillReserve(dirname(file))
    onState({ state: 'ok' })
  }

  /** Below the reserve of the disk the file does not grow; what would make it grow fails as on a full disk. */
  const limitSize = (db: DatabaseSync) =>
    db.exec(`PRAGMA max_page_count = ${isLow() ? 1 : (options.maxPages ?? mostPages)}`)

  const aside = (file: string): string | undefined => {
    try {
      return putAside(file, now())
    } catch {
      return undefined
    }
  }

  /** Continues in memory. @throws the error of a corrupt database in a thread that others use */
  const toMemory = (trouble: DiskTrouble, error: unknown): Opened => {
    if (trouble === 'corrupt' && !isAlone()) {
      foundCorrupt = error
      throw error
    }
    const isNew = memory === undefined
    const kept = memory ?? opened(openMemory(options.migrations), skip)
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
        // A corrupt database may fail here too; its file is moved anyway.
      }
      disk = undefined
    }
    failures += 1
    retryAt = monotonic() + backOff(retry, failures, random())
    const moved = trouble === 'corrupt' && path !== undefined ? aside(path) : undefined
    if (moved !== undefined) {
      damaged = moved
      // Keys and similar rows at once, the rest with the new file, which is made within a second.
      rescue(moved, kept, keptInMemory)
      retryAt = monotonic()
    }
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
        tableNames(kept.db).filter((table) => !keptInMemory.includes(table)),
      )
      return run(kept)
    }
  }

  /** @throws the error of opening or writing */
  const writeDeletions = (file: string, kept: DatabaseSync) => {
    const { maxPages: _limit, ...unlimited } = options
    using next = openDatabase(file, unlimited)
    inTransaction(next, () => copyRows(kept, next, deletionRows))
    syncDatabase(next, file)
  }

  const sync = () => {
    if (disk !== undefined && path !== undefined)
      onDatabase(({ db }) => syncDatabase(db, path, parts.syncLog))
  }

  const storeDeletions = (): boolean => {
    if (path === undefined) return true
    sync()
    if (memory === undefined) return true
    const folder = dirname(path)
    for (const prepare of [() => {}, () => releaseReserve(folder)]) {
      try {
        prepare()
        writeDeletions(path, memory.db)
        fillReserve(folder)
        return true
      } catch (error) {
        if (troubleOf(error) !== 'full') return false
      }
    }
    return false
  }

  /** The disk may have room again since the last attempt. */
  const storeAll = () => {
    retryAt = Number.NEGATIVE_INFINITY
    tryDisk()
    if (memory === undefined) return
    const isStored = storeDeletions()
    noted(
      { rows: rowCounts(memory.db), deletions: isStored ? 'written' : 'lost' },
      'records that were in memory could not be written to the disk before the end',
    )
  }

  const checkFile = () => {
    if (path === undefined || disk === undefined || identityOf(path) === identity) return
    toMemory('vanished', new Error('the file, or the log of its newest changes, is no longer there'))
  }

  if (path === undefined) memory = opened(parts.memory ?? openMemory(options.migrations), skip)
  else tryDisk()

  return {
    /** Runs on the disk, or in memory when the disk cannot; an error that is not the disk's is thrown. */
    run: onDatabase,
    /**
     * Makes committed deletions safe from a power failure. While records are in memory, writes the deletions among them
     * to the disk, with the reserved room.
     * @returns whether they are on the disk
     */
    storeDeletions,
    /** Makes what was committed safe from a power failure, while it is on the disk. */
    sync,
    /** Otherwise records are in memory. */
    get isOnDisk(): boolean {
      return disk !== undefined
    },
    /**
     * Call this every second: notices a file that vanished, and tries the disk again when that is due.
     * @throws the error of a corrupt database in a thread that others use: keep it in its own
     */
    tick() {
      if (foundCorrupt !== undefined) throw foundCorrupt
      checkFile()
      if (disk !== undefined) limitSize(disk.db)
      tryDisk()
    },
    /** Writes what is in memory to the disk, or as much of it as possible, and logs what could not be written. */
    close() {
      if (path !== undefined && disk === undefined) storeAll()
      disk?.db.close()
      memory?.db.close()
    },
  }
}
