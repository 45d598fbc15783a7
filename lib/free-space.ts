import { statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { errorCode } from './error-code.ts'

/** The reserve of a large disk in bytes; a small disk reserves a twentieth of itself. */
const largestReserve = 256 * 1024 ** 2

/**
 * What a file system reports of its space: blocks in all, blocks that this process can still use, and bytes of a
 * block.
 */
export interface DiskBlocks {
  readonly blocks: number
  readonly bavail: number
  readonly bsize: number
}

/**
 * How much fits on a disk above its reserve. The reserve keeps space for what must not fail, such as a save of the
 * game or the revocation of a key, when backups and records have used the rest.
 * @param path a folder on the disk; one that does not exist yet counts as its parent
 * @param look reads the state of the disk; a parameter, so that tests can use a full one
 * @returns bytes, at most 0 when the reserve is used; infinite for a file system that does not report its space
 * @throws the error of the file system
 */
export async function roomBeyondReserve(
  path: string,
  look: (path: string) => Promise<DiskBlocks> = statfs,
): Promise<number> {
  try {
    return beyondReserve(await look(path))
  } catch (error) {
    const parent = dirname(resolve(path))
    if (!isMissing(error) || parent === resolve(path)) throw error
    return roomBeyondReserve(parent, look)
  }
}

/** Some network and user-space file systems report neither size nor free space. */
const beyondReserve = ({ blocks, bavail, bsize }: DiskBlocks): number =>
  blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize - Math.min(largestReserve, (blocks * bsize) / 20)

const isMissing = (error: unknown) => errorCode(error) === 'ENOENT'
