/** One process at a time in a folder. */
import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { lockFile } from '../file-lock.ts'
import { fileFlags, fileProblem } from './access.ts'
import { openFolders } from './opened-folders.ts'

export const folderLockFile = '.farmgate.lock'

/** What the lock file says. Other programs may write into it, so it is not believed further than this. */
const holder = v.object({
  pid: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  host: v.pipe(v.string(), v.regex(/^[\w.-]{1,64}$/)),
})
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

/**
 * Locks a folder until this process ends. The kernel releases the lock, so a process that was killed leaves none behind.
 * @param folder chosen by the operator: links in its path are followed
 * @param host of this process
 * @param below a folder in it to lock instead, such as `Saves`; a link there is not followed
 * @returns undefined where no lock can be taken: a folder that is missing or cannot be written to, something else than a
 *   regular file in place of the lock file, a system without `flock`, a file system without locks
 * @throws FolderInUse
 */
export function lockFolder(folder: string, host: string, below = ''): FolderLock | undefined {
  const path = join(folder, below)
  const file = openLockFile(folder, below)
  if (file === undefined) return undefined
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
  closeSync(file)
  if (found === 'held') throw new FolderInUse(path, by)
  return undefined
}

/** Processes that only read a folder do not lock each other out. */
function openLockFile(folder: string, below: string): number | undefined {
  try {
    const folders = openFolders(folder)
    try {
      const address = folders.address(below)
      accessSync(address, constants.W_OK)
      return opened(join(address, folderLockFile))
    } finally {
      folders.close()
    }
  } catch {
    return undefined
  }
}

/** The folder can be shared with a program that puts a link, a FIFO or a folder in place of the file. */
function opened(path: string): number | undefined {
  // A file of another user can still be locked when it can only be read.
  for (const access of ['create', 'read'] as const) {
    try {
      const file = openSync(path, fileFlags[access], 0o644)
      if (fileProblem(fstatSync(file), 'write') === undefined) return file
      closeSync(file)
      return undefined
    } catch {
      // The next way is tried.
    }
  }
  return undefined
}

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
    // The lock holds without it: the disk is full, or the file can only be read.
  }
}

function readHolder(file: number): string {
  try {
    const bytes = Buffer.alloc(maxBytes)
    const text = bytes.toString('utf8', 0, readSync(file, bytes, 0, maxBytes, 0))
    const { pid, host } = v.parse(holder, JSON.parse(text))
    return `process ${pid} on host ${host}`
  } catch {
    return 'another process'
  }
}
