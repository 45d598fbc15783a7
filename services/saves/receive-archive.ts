import { randomBytes } from 'node:crypto'
import { mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { FarmError } from '../../handlers/farm-error.ts'
import { writeAll } from '../../lib/shared-folder/shared-folder.ts'

/** Bytes after which the free space is read again. */
const lookEvery = 16 * 1024 ** 2

export interface ReceiveParts {
  /** Made when it is missing; only this process uses it. */
  readonly folder: string
  /** Bytes that fit on a folder's disk above its reserve of free space. */
  readonly room: (folder: string) => Promise<number>
}

/**
 * Writes an upload to a file, and removes the file after the action.
 * @param use gets its path
 * @throws {FarmError} disk_low; what reading the content throws, the action, or the file system
 */
export async function whileReceived<Result>(
  { folder, room }: ReceiveParts,
  content: AsyncIterable<Uint8Array>,
  use: (path: string) => Promise<Result>,
): Promise<Result> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, randomBytes(12).toString('hex'))
  try {
    const file = await open(path, 'wx', 0o600)
    try {
      let untilLook = 0
      for await (const piece of content) {
        if (untilLook <= 0) {
          await requireRoom(room, folder)
          untilLook = lookEvery
        }
        untilLook -= piece.byteLength
        await writeAll(file, Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength))
      }
    } finally {
      await file.close()
    }
    return await use(path)
  } finally {
    await rm(path, { force: true })
  }
}

async function requireRoom(room: ReceiveParts['room'], folder: string): Promise<void> {
  if ((await room(folder)) < lookEvery)
    throw new FarmError({ kind: 'disk_low', what: 'The upload was not kept: the disk with DATA_DIR' })
}
