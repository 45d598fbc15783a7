import { DownloadError } from '../../errors.ts'
import { size } from '../sizes.ts'
import type { GameDirectory } from './game-directory.ts'

/**
 * Checks the free space before a download changes anything.
 * @param needed further bytes that the download needs
 * @throws DownloadError `disk_full` when there are fewer
 */
export function checkSpace(directory: GameDirectory, needed: number): void {
  const free = directory.freeSpace()
  if (needed <= free) return
  throw new DownloadError(
    'disk_full',
    `not enough room in ${directory.shown('')}: ${size(needed)} needed, ${size(free)} free; nothing was changed`,
  )
}
