/** Reads the archive of a backup and hands it to the browser as a file. */
import { type Farm, FarmgateError } from '../../../client/index.ts'

/** How often a download that breaks off is gone on with, without a byte more in between. */
const attempts = 4

/**
 * @param onPart hears how much of it is there, from 0 to 1
 * @throws {FarmgateError} the server's refusal; `unreachable` when it broke off again and again
 * @throws the reason of the signal
 */
export async function saveArchive(
  farm: Pick<Farm, 'downloadBackup'>,
  id: string,
  onPart: (part: number) => void,
  signal: AbortSignal,
): Promise<void> {
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
      throw new FarmgateError('unreachable', 'the download broke off')
    } catch (error) {
      signal.throwIfAborted()
      const isRefused = error instanceof FarmgateError && error.status !== undefined
      failures += 1
      if (isRefused) throw error
      if (failures >= attempts) throw new FarmgateError('unreachable', String(error))
    }
  }
  offer(new Blob(pieces, { type: 'application/zip' }), `${id}.zip`)
}

/** Milliseconds after which the browser has taken the file over. */
const takenOver = 60_000

function offer(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), takenOver)
}
