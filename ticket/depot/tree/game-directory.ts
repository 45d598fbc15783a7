import {
  closeSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  opendirSync,
  openSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  type Stats,
  statfsSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs'
import { join } from 'node:path'
import { cannotSyncFolder } from '../../../lib/atomic-file.ts'
import { errorCode } from '../../../lib/error-code.ts'
import {
  type FileAccess,
  fileFlags,
  fileProblem,
  isMissing,
  openError,
  split,
} from '../../../lib/shared-folder/access.ts'
import { using } from '../../../lib/shared-folder/open-file.ts'
import { openFolders } from '../../../lib/shared-folder/opened-folders.ts'
import { DownloadError } from '../../errors.ts'
import { storageError } from '../storage-error.ts'

/** The directory of one download, as plain data that can be sent to a thread. */
export interface Root {
  /** `GAME_DIR`. */
  readonly directory: string
  /** A folder below it, such as `.steam-sdk`; empty for `GAME_DIR` itself. */
  readonly folder: string
}

/**
 * The only way to the files of a download. `GAME_DIR` is shared with the game server, which may put links, FIFOs or
 * other files in any place at any time: no call follows a link, waits for another program, or opens for writing a file
 * that has a second name. Paths are relative, with `/`. Every call is synchronous, so a folder that was opened for it
 * stays open until its end, and throws DownloadError.
 */
export interface GameDirectory {
  readonly root: Root
  /** @returns the absolute path, for messages only */
  shown(path: string): string
  /** @returns the entry at a path; `undefined` when there is nothing, or its folder is not a folder */
  status(path: string): Stats | undefined
  /** @returns the target of a link */
  linkTarget(path: string): string
  /**
   * Opens a regular file: to `read`, to `write` into one that has no other name, or to `create` such a file when there
   * is none. `new` creates it and fails when anything is there.
   * @returns its descriptor
   * @throws DownloadError `conflict` when it is something else
   */
  openFile(path: string, access: FileAccess): number
  /** Renames a file. An empty folder in its place is removed. @throws DownloadError `conflict` for a folder with files */
  rename(from: string, to: string): void
  /** Sets the executable bits of a file that has no other name. */
  makeExecutable(path: string): void
  /** Creates a symlink where nothing is. */
  symlink(target: string, path: string): void
  /** Removes a file, a link or an empty folder if there is one. @throws DownloadError `conflict` for a folder with files */
  remove(path: string): void
  /** Creates a folder and its parents. @returns the folders that have a new entry */
  makeFolder(folder: string): string[]
  /** Removes an empty folder. @returns whether it was removed */
  removeFolder(folder: string): boolean
  /** @returns the wanted ones of the names in a folder; none when it does not exist */
  names(folder: string, wanted: (name: string) => boolean): string[]
  /** Makes the entries of a folder durable where the file system can. */
  sync(folder: string): void
  /** @returns the free bytes */
  freeSpace(): number
  close(): void
}

const folderInTheWay: ReadonlySet<string | undefined> = new Set(['EISDIR', 'EPERM', 'ENOTEMPTY', 'EEXIST'])

/** Creates the directory of a download where it is missing, and opens it. @throws DownloadError */
export function makeGameDirectory({ directory, folder }: Root): GameDirectory {
  try {
    mkdirSync(directory, { recursive: true })
  } catch (error) {
    throw storageError(error, directory)
  }
  inGameDirectory({ directory, folder: '' }, (above) => above.makeFolder(folder))
  return openGameDirectory({ directory, folder })
}

/** Opens the directory of a download for one synchronous action. @throws DownloadError */
export function inGameDirectory<Result>(root: Root, action: (directory: GameDirectory) => Result): Result {
  const directory = openGameDirectory(root)
  try {
    return action(directory)
  } finally {
    directory.close()
  }
}

/**
 * Opens the directory of a download. It must be closed.
 * @throws DownloadError; its cause has the code `ENOENT` when the directory does not exist
 */
export function openGameDirectory(root: Root): GameDirectory {
  const shown = (path: string): string => join(root.directory, root.folder, path)
  /** Runs calls of `node:fs`. Their errors do not name the path but an address of it. @throws DownloadError */
  const named = <Result>(path: string, action: () => Result): Result => {
    try {
      return action()
    } catch (error) {
      throw storageError(error, shown(path))
    }
  }
  const folders = named('', () => openFolders(root.directory))
  const below = (path: string): string =>
    root.folder === '' ? path : path === '' ? root.folder : `${root.folder}/${path}`
  const folderAt = (folder: string): string => folders.address(below(folder))
  const at = (path: string): string => {
    const [folder, name] = split(below(path))
    return `${folders.address(folder)}/${name}`
  }
  const conflict = (path: string, why: string, cause?: unknown): DownloadError =>
    new DownloadError('conflict', `${shown(path)}: ${why}; remove it first`, { cause })
  const status = (path: string): Stats | undefined =>
    orMissing(() => lstatSync(at(path), { throwIfNoEntry: false }))
  const isFolder = (path: string): boolean => path === '' || status(path)?.isDirectory() === true

  const removeFolder = (folder: string): boolean => {
    folders.forget(below(folder))
    try {
      rmdirSync(at(folder))
      return true
    } catch {
      return false
    }
  }

  /** Runs an action again after the empty folder in its way was removed. */
  const withoutFolder = (path: string, action: () => void): void => {
    try {
      action()
    } catch (error) {
      if (!folderInTheWay.has(errorCode(error)) || !isFolder(path)) throw error
      if (!removeFolder(path))
        throw conflict(path, 'a folder with other files is where a file must be', error)
      action()
    }
  }

  const makeFolder = (folder: string): string[] => {
    if (isFolder(folder)) return []
    const [above] = split(folder)
    const changed = makeFolder(above)
    try {
      mkdirSync(at(folder))
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error
    }
    // Throws when another program has put something else there.
    folderAt(folder)
    return [...changed, above]
  }

  const openFile: GameDirectory['openFile'] = (path, access) => {
    let descriptor: number
    try {
      descriptor = openSync(at(path), fileFlags[access], 0o644)
    } catch (error) {
      throw openError(error)
    }
    const problem = fileProblem(fstatSync(descriptor), access)
    if (problem === undefined) return descriptor
    closeSync(descriptor)
    throw problem
  }

  const names = (folder: string, wanted: (name: string) => boolean): string[] => {
    const entries = orMissing(() => opendirSync(folderAt(folder)))
    if (entries === undefined) return []
    try {
      const found: string[] = []
      for (let entry = entries.readSync(); entry !== null; entry = entries.readSync()) {
        if (wanted(entry.name)) found.push(entry.name)
      }
      return found
    } finally {
      entries.closeSync()
    }
  }

  try {
    named('', () => folderAt(''))
  } catch (error) {
    folders.close()
    throw error
  }
  return {
    root,
    shown,
    status: (path) => named(path, () => status(path)),
    linkTarget: (path) => named(path, () => readlinkSync(at(path))),
    openFile: (path, access) => named(path, () => openFile(path, access)),
    rename: (from, to) => named(to, () => withoutFolder(to, () => renameSync(at(from), at(to)))),
    makeExecutable: (path) =>
      named(path, () => using(openFile(path, 'write'), (file) => fchmodSync(file, 0o755))),
    symlink: (target, path) => named(path, () => symlinkSync(target, at(path))),
    remove: (path) =>
      named(path, () => withoutFolder(path, () => void orMissing(() => unlinkSync(at(path))))),
    makeFolder: (folder) => named(folder, () => makeFolder(folder)),
    removeFolder,
    names: (folder, wanted) => named(folder, () => names(folder, wanted)),
    sync: (folder) => named(folder, () => using(openSync(folderAt(folder), 'r'), syncWherePossible)),
    freeSpace() {
      const { bavail, bsize } = named('', () => statfsSync(folderAt('')))
      return bavail * bsize
    },
    close: folders.close,
  }
}

function syncWherePossible(folder: number): void {
  try {
    fsyncSync(folder)
  } catch (error) {
    if (!cannotSyncFolder(error)) throw error
  }
}

/** @returns `undefined` when nothing is there, or a link or a file is in place of a folder above it */
function orMissing<Result>(action: () => Result): Result | undefined {
  try {
    return action()
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}
