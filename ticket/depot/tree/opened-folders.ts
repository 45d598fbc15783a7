import { closeSync, constants, existsSync, lstatSync, openSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { DownloadError, errorCode } from '../../errors.ts'
import { printable } from '../format/safe-path.ts'

/**
 * The folders below `GAME_DIR`. The game server may write there at any time, and a link in place of a folder would lead
 * every call of `node:fs` to files outside, such as the saved session.
 */
export interface OpenedFolders {
  /**
   * @param folder path below `GAME_DIR` with `/`, or empty for `GAME_DIR` itself
   * @returns its address for a call of `node:fs`, valid until the next call of this object
   * @throws DownloadError `conflict` when a link or a file is where a folder must be; `ENOENT` when there is nothing
   */
  address(folder: string): string
  /** Says that a folder was removed. */
  forget(folder: string): void
  close(): void
}

/** Linux has a link here for each open file of the process. It leads to that file, whatever its path means by now. */
const descriptors = '/proc/self/fd'
const canPin = existsSync(descriptors)
const asFolder = constants.O_RDONLY | constants.O_DIRECTORY
/** Maximum number of folders that are open at once. */
const maxOpen = 128

/**
 * Opens `GAME_DIR`. Its own path was chosen by the operator, so links in that path are followed.
 * @throws Error of the file system
 */
export function openFolders(directory: string): OpenedFolders {
  return canPin ? pinnedFolders(directory) : checkedFolders(directory)
}

/**
 * Opens folders one by one, each under the open one above it and none through a link. An open folder stays the same
 * folder when another program renames it or puts a link in its place.
 */
function pinnedFolders(directory: string): OpenedFolders {
  const top = openSync(directory, asFolder)
  const opened = new Map<string, number>()
  const close = (folder: string): void => {
    const descriptor = opened.get(folder)
    opened.delete(folder)
    if (descriptor !== undefined) closeSync(descriptor)
  }
  const open = (folder: string): number => {
    if (folder === '') return top
    let descriptor = opened.get(folder)
    if (descriptor === undefined) {
      const [above, name] = split(folder)
      descriptor = openStep(`${descriptors}/${open(above)}/${name}`, folder)
    }
    // The folder that was used last is the last of the map.
    opened.delete(folder)
    opened.set(folder, descriptor)
    if (opened.size > maxOpen) {
      const [oldest = ''] = opened.keys()
      close(oldest)
    }
    return descriptor
  }
  return {
    address: (folder) => `${descriptors}/${open(folder)}`,
    forget: close,
    close() {
      for (const folder of [...opened.keys()]) close(folder)
      closeSync(top)
    },
  }
}

function openStep(address: string, folder: string): number {
  try {
    return openSync(address, asFolder | constants.O_NOFOLLOW)
  } catch (error) {
    const code = errorCode(error)
    throw code === 'ENOTDIR' || code === 'ELOOP' ? notAFolder(folder) : error
  }
}

/**
 * For systems without `/proc` (macOS, Windows), where Node cannot open a file under an open folder. Every folder is
 * checked before each use; another program can still put a link in its place between the check and the use.
 */
function checkedFolders(directory: string): OpenedFolders {
  const top = realpathSync(directory)
  const address = (folder: string): string => {
    if (folder === '') return top
    const [above, name] = split(folder)
    const at = join(address(above), name)
    if (!lstatSync(at).isDirectory()) throw notAFolder(folder)
    return at
  }
  return { address, forget: () => undefined, close: () => undefined }
}

/** @returns the folder above a path, and its last name */
export function split(path: string): [string, string] {
  const cut = path.lastIndexOf('/')
  const name = path.slice(cut + 1)
  if (name === '' || name === '.' || name === '..')
    throw new Error(`no path below a folder: ${printable(path)}`)
  return [path.slice(0, Math.max(cut, 0)), name]
}

function notAFolder(folder: string): DownloadError {
  return new DownloadError(
    'conflict',
    `${printable(folder)} is a link or a file where a folder must be; remove it first`,
  )
}
