import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { collected } from './collected.ts'

const piece = 64 * 1024

/**
 * Reads a file in a folder of the operator, whatever it has become: it can have any size, or be a pipe without an end.
 * @param most bytes
 * @returns undefined for a larger one
 * @throws the error of the file system
 */
export async function readSmallFile(path: string, most: number): Promise<Uint8Array | undefined> {
  await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const read = collected(most)
  const buffer = Buffer.alloc(piece)
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, piece, null)
    if (bytesRead === 0) return read.whole()
    if (!read.add(buffer.subarray(0, bytesRead))) return undefined
  }
}
