/** Opens the database: on the disk or in memory, with the schema of `migrations.ts`. */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import * as v from 'valibot'
import { makeFolder } from './make-folder.ts'

/** The file in `DATA_DIR`. */
export const databaseFile = 'records.db'

/** Maximum of bytes of all rows in memory while the disk is unusable. */
const maxMemory = 32 * 1024 * 1024
const pageSize = 4096
/** Milliseconds to wait for another process that writes to the same file. */
const busyTimeout = 1000

export interface DatabaseOptions {
  /** The steps of `migrations.ts`. */
  readonly migrations: readonly string[]
  /** Maximum of pages of 4 KiB on the disk; unlimited unless given. */
  readonly maxPages?: number
}

/** The database is of a newer farmgate: it stays as it is. */
export class NewerDatabase extends Error {
  override readonly name = 'NewerDatabase'
}

/** Something else than a file stands where records are kept: opening a pipe would never end. */
export class NotAFile extends Error {
  override readonly name = 'NotAFile'
}

/** @throws NotAFile for a pipe, device or folder @throws the error of the file system */
export function requireFile(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found !== undefined && !found.isFile()) throw new NotAFile(`${path} is not a file`)
}

/**
 * Opens the file, or makes it. Its folder is made with mode 0700 and the file with 0600, which SQLite gives its `-wal`
 * and `-shm` files too.
 * @throws the error of SQLite or the file system; NewerDatabase, NotAFile
 */
export function openDatabase(
  path: string,
  { migrations }: Pick<DatabaseOptions, 'migrations'>,
): DatabaseSync {
  makeFolder(dirname(path))
  for (const { from } of filesOf(path)) requireFile(from)
  closeSync(openSync(path, 'a', 0o600))
  const db = new DatabaseSync(path)
  try {
    db.exec(`PRAGMA busy_timeout = ${busyTimeout}; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL`)
    migrate(db, path, migrations)
  } catch (error) {
    db.close()
    throw error
  }
  return db
}

function syncFile(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

const checkpoint = v.object({ busy: v.number(), log: v.number(), checkpointed: v.number() })

/**
 * Makes committed rows safe from a power failure: a checkpoint syncs both files. While another program reads or writes,
 * it may leave rows in the log, which is then synced itself.
 * @throws the error of SQLite or the file system
 */
export function syncDatabase(db: DatabaseSync, path: string, sync = syncFile): void {
  const { busy, log, checkpointed } = v.parse(checkpoint, db.prepare('PRAGMA wal_checkpoint(PASSIVE)').get())
  if (busy !== 0 || log !== checkpointed) sync(`${path}-wal`)
}

export function openMemory(migrations: readonly string[]): DatabaseSync {
  const db = new DatabaseSync(':memory:')
  db.exec(`PRAGMA page_size = ${pageSize}; PRAGMA max_page_count = ${maxMemory / pageSize}`)
  for (const step of migrations) db.exec(step)
  return db
}

/** @returns how many steps the database has @throws NewerDatabase */
export function requireKnownVersion(db: DatabaseSync, known: number): number {
  const version = Number(db.prepare('PRAGMA user_version').get()?.['user_version'])
  if (version > known) throw new NewerDatabase(`version ${version}, this farmgate knows ${known}`)
  return version
}

/**
 * Makes the missing steps of a database in one transaction; a file that had some is first copied to
 * `<path>.v<version>`.
 */
function migrate(db: DatabaseSync, path: string, migrations: readonly string[]): void {
  const version = requireKnownVersion(db, migrations.length)
  if (version === migrations.length) return
  if (version > 0) keepCopy(db, `${path}.v${version}`)
  db.exec('BEGIN IMMEDIATE')
  try {
    for (const step of migrations.slice(version)) db.exec(step)
    db.exec(`PRAGMA user_version = ${migrations.length}`)
    db.exec('COMMIT')
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}

function keepCopy(db: DatabaseSync, path: string): void {
  const temporary = `${path}.new`
  rmSync(temporary, { force: true })
  closeSync(openSync(temporary, 'wx', 0o600))
  db.prepare('VACUUM INTO ?').run(temporary)
  renameSync(temporary, path)
}

/** The files of a database; the last two exist only while it is open. */
const filesOf = (path: string) => ['', '-wal', '-shm'].map((end) => ({ from: `${path}${end}`, end }))

/** Renames a corrupt database. @returns its new path */
export function putAside(path: string, now: number): string {
  const aside = `${path}.corrupt-${new Date(now).toISOString().replaceAll(':', '')}`
  for (const { from, end } of filesOf(path)) {
    if (statSync(from, { throwIfNoEntry: false }) !== undefined) renameSync(from, `${aside}${end}`)
  }
  return aside
}

/** @returns what identifies a database and the log of its newest changes; it changes when one of them is replaced or removed */
export const identityOf = (path: string): string =>
  ['', '-wal'].map((end) => inodeOf(`${path}${end}`)).join(' ')

const inodeOf = (path: string): number | undefined => {
  try {
    return statSync(path).ino
  } catch {
    return undefined
  }
}
