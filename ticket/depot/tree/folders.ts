import { lstat, realpath, rmdir } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { DownloadError } from '../../errors.ts'
import { parents, printable } from '../format/safe-path.ts'

/**
 * Checks that the folders above these paths are folders inside the target directory. The directory is shared
 * with the game server: a link planted there must not lead our writes elsewhere.
 * @param root real path of the target directory
 * @param mayGo paths that are about to be deleted, so may become folders
 * @throws DownloadError `conflict`
 */
export async function checkFolders(
  root: string,
  paths: Iterable<string>,
  mayGo: (path: string) => boolean,
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
    if (mayGo(folder)) continue
    throw new DownloadError(
      'conflict',
      `${printable(folder)} is a file where a folder must be; remove it first`,
    )
  }
}

/** Says whether a path, links followed, is a folder below the root. */
export async function isInside(root: string, at: string): Promise<boolean> {
  const real = await realpath(at).catch(() => undefined)
  return real !== undefined && (real === root || real.startsWith(root + sep))
}

/** Removes the folders above these deleted files that are empty now. */
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
