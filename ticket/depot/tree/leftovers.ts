import { using } from '../../../lib/shared-folder/open-file.ts'
import { parents } from '../format/safe-path.ts'
import { isUnfinished } from './file-names.ts'
import type { GameDirectory } from './game-directory.ts'

/**
 * Removes what interrupted downloads have left in the folders of these paths: partial files that this download does
 * not continue, and temporary files. Files with other names are never touched.
 * @param paths files that this or an earlier download writes
 * @param continued partial files of this download. One that is not a writable regular file is removed too.
 */
export function removeLeftovers(
  directory: GameDirectory,
  paths: Iterable<string>,
  continued: ReadonlySet<string>,
): void {
  const folders = new Set([''])
  for (const path of paths) for (const folder of parents(path)) folders.add(folder)
  for (const folder of folders) {
    for (const name of directory.names(folder, isUnfinished)) {
      const path = folder === '' ? name : `${folder}/${name}`
      if (continued.has(path) && canContinue(directory, path)) continue
      if (directory.status(path)?.isDirectory() === false) directory.remove(path)
    }
  }
}

function canContinue(directory: GameDirectory, path: string): boolean {
  try {
    return using(directory.openFile(path, 'write'), () => true)
  } catch {
    return false
  }
}
