import { lstat, realpath, rmdir } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { DownloadError } from '../../errors.ts'
import { parents, printable } from '../format/safe-path.ts'

/**
 * Checks that the parent folders of these paths are folders inside the target directory. The directory is shared with
 * the game server; a link in it must not redirect writes to a place outside.
 * @param root real path of the target directory
 * @param willBeDeleted whether the download deletes a path, so that a folder can replace it
 * @throws DownloadError `conflict`
 */
export async function checkFolders(
  root: string,
  paths: Iterable<string>,
  willBeDeleted: (path: string) => boolean,
): Promise<void> {
  const folders = new Set<string>()
  for (const path of paths) for (const folder of parents(path)) folders.add(folder)
  for (const folder of folders) {
    const at = join(root, folder)
    const stat = await lstat(at).catch(() => undefined)
    if (stat === undefined || stat.isDirectory()) continue
    if (stat.isSymbolicLink()) {
      if (await isInside(root, at)) continue
      throw new DownloadError(
        'conflict',
        `${printable(folder)} is a link that leaves ${root}; remove it first`,
      )
    }
    if (willBeDeleted(folder)) continue
    throw new DownloadError(
      'conflict',
      `${printable(folder)} is a file where a folder must be; remove it first`,
    )
  }
}

/** @returns whether the real path of `at` is the root or below it */
export async function isInside(root: string, at: string): Promise<boolean> {
  const real = await realpath(at).catch(() => undefined)
  return real !== undefined && (real === root || real.startsWith(root + sep))
}

/** Removes the parent folders of deleted files that are empty now. */
export async function removeEmptyFolders(root: string, deleted: readonly string[]): Promise<void> {
  for (const path of deleted) {
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
      const removed = await rmdir(join(root, folder)).then(
        () => true,
        () => false,
      )
      if (!removed) break
    }
  }
}
