/** Room on the disk for revocations and other deletions: a file that is removed when the disk is full. */
import { randomBytes } from 'node:crypto'
import { closeSync, fstatSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { requireFile } from './database.ts'

export const reserveFile = 'records.reserve'
/** Bytes: a database that is opened makes two more files, and a deletion writes a few pages of 4 KiB. */
export const reserveSize = 1024 * 1024
const piece = 64 * 1024

/** Fills the reserve up, as far as there is room. Never throws. @param folder `DATA_DIR` */
export function fillReserve(folder: string): void {
  const path = join(folder, reserveFile)
  try {
    requireFile(path)
    const file = openSync(path, 'a', 0o600)
    try {
      const { size } = fstatSync(file)
      // Random, because some file systems store nothing for bytes that repeat.
      for (let at = size; at < reserveSize; at += piece) writeSync(file, randomBytes(piece))
      if (size < reserveSize) fsyncSync(file)
    } finally {
      closeSync(file)
    }
  } catch {
    // What was written stays reserved.
  }
}

/** Makes the room of the reserve usable. Never throws. */
export function releaseReserve(folder: string): void {
  try {
    rmSync(join(folder, reserveFile), { force: true })
  } catch {
    // The folder is not writable: the write that needs the room fails too.
  }
}
