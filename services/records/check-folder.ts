/** Whether writable folders are usable, for `--check-config`: makes no database and changes none. */
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { databaseFile, requireFile, requireKnownVersion } from './database.ts'
import { type DiskTrouble, troubleOf } from './disk-trouble.ts'
import { makeFolder } from './make-folder.ts'
import { migrations } from './migrations.ts'
import { reserveFile } from './reserve.ts'

const words: Readonly<Record<DiskTrouble, string>> = {
  full: 'the disk is full',
  corrupt: `${databaseFile} is not a database or is corrupt; it would be put aside`,
  newer_version: `${databaseFile} was written by a newer farmgate`,
  not_writable: 'it is not a folder that this user may write to',
  not_a_file: `${databaseFile} or ${reserveFile} is not a file`,
  vanished: 'the folder cannot be made',
  busy: `${databaseFile} is locked by another process`,
  unusable: 'the disk fails',
}

/** @returns what is wrong; undefined when it is usable */
export const folderProblem = (folder: string): string | undefined =>
  unwritableProblem(folder, 'records would be kept in memory only', () => {
    const path = join(folder, databaseFile)
    for (const one of [path, join(folder, reserveFile)]) requireFile(one)
    if (existsSync(path)) checkDatabase(path)
  })

/**
 * Writes a file into a folder, which is made and removed again when it is missing.
 * @param otherwise what would happen when the folder is not writable
 * @param look called while the folder exists
 * @returns what is wrong; undefined when it is writable
 */
export function unwritableProblem(folder: string, otherwise: string, look = () => {}): string | undefined {
  let made: string | undefined
  try {
    made = makeFolder(folder)
    const probe = join(folder, `.probe-${process.pid}`)
    writeFileSync(probe, 'farmgate', { mode: 0o600 })
    rmSync(probe)
    look()
    return undefined
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error)
    return `cannot be used: ${words[troubleOf(error) ?? 'unusable']} (${cause}); ${otherwise}`
  } finally {
    if (made !== undefined) rmSync(made, { recursive: true, force: true })
  }
}

/** @throws NewerDatabase, NotAFile; the error of SQLite */
function checkDatabase(path: string): void {
  using db = new DatabaseSync(path, { readOnly: true })
  requireKnownVersion(db, migrations.length)
  db.prepare('SELECT count(*) FROM sqlite_master').get()
}
