import type { FileHandle } from 'node:fs/promises'

export const pieceBytes = 256 * 1024

/**
 * Reads an open file, in pieces that take turns in a few buffers. New memory for each piece would cost more than
 * reading it, because the garbage collector scans the whole heap for every few megabytes. Bytes added to the file
 * meanwhile are not read.
 * @param buffers of `pieceBytes`; a piece is valid until that many others were requested
 * @throws the error of the file system
 */
export async function* piecesOf(file: FileHandle, buffers = 1): AsyncGenerator<Buffer, void> {
  const inTurn: Buffer[] = []
  let { size: left } = await file.stat()
  for (let at = 0; left > 0; at = (at + 1) % buffers) {
    const buffer = inTurn[at] ?? Buffer.allocUnsafe(pieceBytes)
    inTurn[at] = buffer
    const wanted = buffer.subarray(0, left)
    const bytes = await fill(file, wanted)
    if (bytes > 0) yield buffer.subarray(0, bytes)
    if (bytes < wanted.length) return
    left -= bytes
  }
}

/** A disk can return less than requested. @returns fewer bytes than the buffer has only at the end of the file */
async function fill(file: FileHandle, buffer: Buffer): Promise<number> {
  let bytes = 0
  while (bytes < buffer.length) {
    const { bytesRead } = await file.read(buffer, bytes, buffer.length - bytes)
    if (bytesRead === 0) break
    bytes += bytesRead
  }
  return bytes
}
