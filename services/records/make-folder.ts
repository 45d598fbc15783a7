import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

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
