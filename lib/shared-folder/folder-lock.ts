/** One process at a time in a folder. */

import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import * as v from 'valibot'
import { lockFile } from '../file-lock.ts'
import { readForeign } from '../foreign/read.ts'
import { fileFlags, fileProblem, NotAFolder, NotRegular, openError } from './access.ts'
import { openFolders } from './opened-folders.ts'

export const folderLockFile = '.farmgate.lock'

/** The content of the lock file. Other programs may write into it, so nothing else relies on it. */
const holder = v.object({
  pid: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  host: v.pipe(v.string(), v.regex(/^[\w.-]{1,64}$/)),
})
type Holder = v.InferOutput<typeof holder>
const maxBytes = 256

/** Another process uses the folder. */
export class FolderInUse extends Error {
  override readonly name = 'FolderInUse'
  /** @param by completes "is in use by" */
  constructor(folder: string, by: string) {
    super(`${folder} is in use by ${by}; stop that process, or use another folder`)
  }
}

export interface FolderLock {
  /** False once the lock file was removed or replaced, such as with its folder. */
  isHeld(): boolean
  release(): void
}

/** A folder that another program, which may be hostile, can write in. */
export interface SharedLock {
  /** Its path in the operator's folder, such as `Saves`; a link there is not followed. */
  readonly below: string
  /** Called with the cause when the folder stays without a lock, which another program can cause. */
  onDoubt(cause: string): void
}

/**
 * Locks a folder until this process ends. The kernel releases the lock, so a killed process leaves none behind.
 * @param folder chosen by the operator: links in its path are followed
 * @param host of this process
 * @param shared locks a folder in it instead. Another program could hold that lock to keep farmgate from starting, so
 * only a farmgate of this user and machine counts
 * @returns undefined where no lock is possible: a folder that is missing or not writable, something other than a
 * regular file in place of the lock file, a system without `flock`, a file system without locks
 * @throws FolderInUse
 */
export function lockFolder(folder: string, host: string, shared?: SharedLock): FolderLock | undefined {
  const { below = '', onDoubt } = shared ?? {}
  const path = join(folder, below)
  // A program that shares the folder may be of another user, and must be able to read who holds the lock.
  const file = openLockFile(folder, below, shared === undefined ? 0o600 : 0o644)
  if (typeof file !== 'number') {
    if (file !== undefined) onDoubt?.(file.message)
    return undefined
  }
  const found = lock(file)
  if (found === 'locked') {
    writeHolder(file, host)
    const { ino } = fstatSync(file)
    return {
      isHeld: () => statSync(join(path, folderLockFile), { throwIfNoEntry: false })?.ino === ino,
      release: () => closeSync(file),
    }
  }
  const by = readHolder(file)
  const isFarmgate = shared === undefined || (by?.host === host && isFarmgateWith(file, by.pid))
  closeSync(file)
  if (found === 'unsupported') return undefined
  const words = by === undefined ? 'another process' : `process ${by.pid} on host ${by.host}`
  if (isFarmgate) throw new FolderInUse(path, words)
  onDoubt?.(`${folderLockFile} is locked by ${words}, which is not known to be farmgate`)
  return undefined
}

/** Whether a process of this user and machine runs on Node and has the lock file open, whatever that file contains. */
function isFarmgateWith(file: number, pid: number): boolean {
  try {
    const process_ = `/proc/${pid}`
    if (pid === process.pid || statSync(process_).uid !== process.getuid?.()) return false
    if (basename(readlinkSync(`${process_}/exe`)) !== basename(process.execPath)) return false
    const { dev, ino } = fstatSync(file)
    return readdirSync(`${process_}/fd`).some((name) => {
      const open = statSync(`${process_}/fd/${name}`, { throwIfNoEntry: false })
      return open?.dev === dev && open.ino === ino
    })
  } catch {
    return false
  }
}

/**
 * Processes that only read a folder do not lock each other out.
 * @returns what is in place of the file; undefined where there can be none
 */
function openLockFile(
  folder: string,
  below: string,
  mode: number,
): number | NotRegular | NotAFolder | undefined {
  try {
    const folders = openFolders(folder)
    try {
      const address = folders.address(below)
      accessSync(address, constants.W_OK)
      return opened(join(address, folderLockFile), mode)
    } finally {
      folders.close()
    }
  } catch (error) {
    return error instanceof NotAFolder ? error : undefined
  }
}

/** The folder can be shared with a program that puts a link, a FIFO or a folder in place of the file. */
function opened(path: string, mode: number): number | NotRegular | undefined {
  // A file of another user can still be locked when it can only be read.
  for (const access of ['create', 'read'] as const) {
    try {
      const file = openSync(path, fileFlags[access], mode)
      const problem = fileProblem(fstatSync(file), 'write')
      if (problem === undefined) return file
      closeSync(file)
      return notALock(problem)
    } catch (error) {
      const found = openError(error)
      if (found instanceof NotRegular) return notALock(found)
    }
  }
  return undefined
}

const notALock = ({ message }: NotRegular) => new NotRegular(`${folderLockFile} is ${message}`)

function lock(file: number): 'locked' | 'held' | 'unsupported' {
  try {
    return lockFile(file)
  } catch {
    return 'unsupported'
  }
}

function writeHolder(file: number, host: string): void {
  try {
    ftruncateSync(file)
    writeSync(file, JSON.stringify({ pid: process.pid, host }), 0)
  } catch {
    // The lock is valid without it: the disk is full, or the file is read-only.
  }
}

function readHolder(file: number): Holder | undefined {
  try {
    const bytes = Buffer.alloc(maxBytes)
    const text = bytes.toString('utf8', 0, readSync(file, bytes, 0, maxBytes, 0))
    return readForeign(holder, text)
  } catch {
    return undefined
  }
}
