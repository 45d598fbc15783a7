import { DownloadError } from '../../errors.ts'
import { parents, printable } from '../format/safe-path.ts'
import { folderOf } from './file-names.ts'
import type { GameDirectory } from './game-directory.ts'

/**
 * Checks before the first change that the parent folders of these paths are folders, or can be created.
 * @param willBeDeleted whether the download deletes a path, so that a folder can replace it
 * @throws DownloadError `conflict`
 */
export function checkFolders(
  directory: GameDirectory,
  paths: Iterable<string>,
  willBeDeleted: (path: string) => boolean,
): void {
  const folders = new Set<string>()
  for (const path of paths) for (const folder of parents(path)) folders.add(folder)
  for (const folder of folders) {
    const found = directory.status(folder)
    if (found === undefined || found.isDirectory() || willBeDeleted(folder)) continue
    const kind = found.isSymbolicLink() ? 'link' : 'file'
    throw new DownloadError(
      'conflict',
      `${printable(folder)} is a ${kind} where a folder must be; remove it first`,
    )
  }
}

/** Removes the parent folders of deleted files that are empty now. */
export function removeEmptyFolders(directory: GameDirectory, deleted: readonly string[]): void {
  for (const path of deleted) {
    let folder = folderOf(path)
    while (folder !== '' && directory.removeFolder(folder)) folder = folderOf(folder)
  }
}
