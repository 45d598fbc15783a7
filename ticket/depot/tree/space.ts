import { statfs } from 'node:fs/promises'
import { DownloadError } from '../../errors.ts'
import { size } from '../sizes.ts'

/**
 * Checks the free space before a download changes anything.
 * @param needed further bytes that the download needs
 * @throws DownloadError `disk_full` when there are fewer
 */
export async function checkSpace(root: string, needed: number): Promise<void> {
  const { bavail, bsize } = await statfs(root)
  const free = bavail * bsize
  if (needed <= free) return
  throw new DownloadError(
    'disk_full',
    `not enough room in ${root}: ${size(needed)} needed, ${size(free)} free; nothing was changed`,
  )
}
