import { existsSync, mkdirSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { type FolderLock, lockFolder } from '../../lib/shared-folder/folder-lock.ts'

/**
 * Makes a folder with mode 0700, and those above it. Node's own `recursive` never returns where the system has a
 * folder but allows none in it, such as `/proc`.
 * @returns the first that was made; undefined when the folder existed
 * @throws the error of the file system
 */
export function makeFolder(folder: string): string | undefined {
  if (existsSync(folder)) return undefined
  const above = dirname(folder)
  const first = above === folder ? undefined : makeFolder(above)
  mkdirSync(folder, { mode: 0o700 })
  return first ?? folder
}

/** Makes and locks `DATA_DIR`. @returns as `lockFolder` @throws FolderInUse when another process uses it */
export function lockDataDir(folder: string): FolderLock | undefined {
  try {
    makeFolder(folder)
  } catch {
    // Records are in memory until it can be made.
  }
  return lockFolder(folder, hostname())
}
