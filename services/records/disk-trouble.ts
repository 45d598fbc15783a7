/** Why the database on the disk is unusable, in words that an operator would search for. */
import * as v from 'valibot'
import { NewerDatabase, NotAFile } from './database.ts'

export type DiskTrouble =
  | 'full'
  | 'corrupt'
  | 'newer_version'
  | 'not_writable'
  | 'vanished'
  | 'not_a_file'
  | 'busy'
  | 'unusable'

const sqliteError = v.object({ code: v.literal('ERR_SQLITE_ERROR'), errcode: v.number() })
const fileError = v.object({ code: v.string(), syscall: v.string() })

/** By the primary result code (sqlite.org/rescode.html). */
const bySqlite: Readonly<Record<number, DiskTrouble>> = {
  3: 'not_writable',
  5: 'busy',
  6: 'busy',
  8: 'not_writable',
  10: 'unusable',
  11: 'corrupt',
  13: 'full',
  14: 'not_writable',
  22: 'unusable',
  26: 'corrupt',
}
const byFileSystem: Readonly<Record<string, DiskTrouble>> = {
  ENOSPC: 'full',
  EDQUOT: 'full',
  EACCES: 'not_writable',
  EPERM: 'not_writable',
  EROFS: 'not_writable',
  ENOTDIR: 'not_writable',
  EEXIST: 'not_writable',
  EISDIR: 'not_writable',
  ENOENT: 'vanished',
}

/** @returns undefined for other errors than those of the disk */
export function troubleOf(error: unknown): DiskTrouble | undefined {
  if (error instanceof NewerDatabase) return 'newer_version'
  if (error instanceof NotAFile) return 'not_a_file'
  const sqlite = v.safeParse(sqliteError, error)
  if (sqlite.success) return bySqlite[sqlite.output.errcode & 0xff]
  const file = v.safeParse(fileError, error)
  return file.success ? (byFileSystem[file.output.code] ?? 'unusable') : undefined
}
