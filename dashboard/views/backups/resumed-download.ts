/** Reads the archive of a backup, and resumes an interrupted download. */
import { type Farm, FarmgateError } from '../../../client/index.ts'

/** Maximum of attempts in a row of a download without a new byte. */
const attempts = 4

/**
 * @param onPart called with the finished part, from 0 to 1
 * @throws {FarmgateError} the server's refusal; `unreachable` after repeated interruptions
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
