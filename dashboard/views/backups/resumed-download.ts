/** Reads the archive of a backup, and goes on where the download broke off. */
import { type Farm, FarmgateError } from '../../../client/index.ts'

/** How often in a row a download is tried that breaks off without a new byte. */
const attempts = 4

/**
 * @param onPart hears how much of it is there, from 0 to 1
 * @throws {FarmgateError} the server's refusal; `unreachable` when it broke off again and again
 * @throws the reason of the signal
 */
export async function readArchive(
  farm: Pick<Farm, 'downloadBackup'>,
  id: string,
  onPart: (part: number) => void,
  signal: AbortSignal,
): Promise<Blob> {
  const pieces: BlobPart[] = []
  let [from, failures] = [0, 0]
  for (;;) {
    try {
      const { bytes, body } = await farm.downloadBackup({ id, from }, { signal })
      const reader = body.getReader()
      for (let read = await reader.read(); !read.done; read = await reader.read()) {
        pieces.push(new Uint8Array(read.value))
        from += read.value.byteLength
        failures = 0
        onPart(from / bytes)
      }
      if (from >= bytes) break
      throw new FarmgateError('unreachable', 'the download was interrupted')
    } catch (error) {
      signal.throwIfAborted()
      const isRefused = error instanceof FarmgateError && error.status !== undefined
      failures += 1
      if (isRefused) throw error
      if (failures >= attempts) throw new FarmgateError('unreachable', String(error))
    }
  }
  return new Blob(pieces, { type: 'application/zip' })
}
