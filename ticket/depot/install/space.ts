import { DownloadError } from '../../errors.ts'
import type { Chunk } from '../format/depot-file.ts'
import type { FileWork } from '../plan/plan.ts'
import { size } from '../sizes.ts'
import type { GameDirectory } from '../tree/game-directory.ts'

/**
 * The free space that the files need. Chunks in partial files need none. An old file is deleted when its new one is
 * complete, and files are completed one after the other, so the largest one that has both counts in addition to the
 * growth of all.
 * @returns bytes
 */
export function spaceNeeded(works: readonly FileWork[]): number {
  let growth = 0
  let largest = 0
  for (const { copy, fetch, oldSize } of works) {
    const written = bytesOf(copy) + bytesOf(fetch)
    growth += Math.max(0, written - oldSize)
    if (oldSize > 0) largest = Math.max(largest, Math.min(written, oldSize))
  }
  return growth + largest
}

function bytesOf(chunks: readonly Chunk[]): number {
  return chunks.reduce((sum, { size }) => sum + size, 0)
}

/**
 * Checks the free space before a download changes an installed file.
 * @param needed further bytes that the download needs
 * @throws DownloadError `disk_full` when there are fewer
 */
export function checkSpace(directory: GameDirectory, needed: number): void {
  const free = directory.freeSpace()
  if (needed <= free) return
  throw new DownloadError(
    'disk_full',
    `not enough room in ${directory.shown('')}: ${size(needed)} needed, ${size(free)} free; no installed file was changed`,
  )
}
