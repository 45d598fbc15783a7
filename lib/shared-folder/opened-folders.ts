import { closeSync, lstatSync, openSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { asFolder, asFolderBelow, canPin, descriptors, folderError, NotAFolder, split } from './access.ts'

/**
 * The folders below a shared one, for threads that make synchronous calls. A link in place of a folder would lead every
 * call of `node:fs` to files outside, such as a saved session.
 */
export interface OpenedFolders {
  /**
   * @param folder path below the shared folder with `/`, or empty for that folder itself
   * @returns its address for a call of `node:fs`, valid until the next call of this object
   * @throws {NotAFolder} @throws the error of the file system, `ENOENT` when there is nothing
   */
  address(folder: string): string
  /** Call this when a folder was removed. */
  forget(folder: string): void
  close(): void
}

/** Maximum number of folders that are open at once. */
const maxOpen = 128

/**
 * Opens a shared folder. Its own path was chosen by the operator, so links in that path are followed.
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
    // The last folder of the map is the last used one.
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
    return openSync(address, asFolderBelow)
  } catch (error) {
    throw folderError(error, folder)
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
    if (!lstatSync(at).isDirectory()) throw new NotAFolder(folder)
    return at
  }
  return { address, forget: () => undefined, close: () => undefined }
}
