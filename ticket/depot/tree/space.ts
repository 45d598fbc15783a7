import { statfs } from 'node:fs/promises'
import { DownloadError } from '../../errors.ts'
import { size } from '../sizes.ts'

/**
 * Refuses a download that cannot fit, before anything is touched.
 * @param needed bytes on top of what is there now
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
