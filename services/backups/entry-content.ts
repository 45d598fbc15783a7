import type { Readable } from 'node:stream'
import { createInflateRaw } from 'node:zlib'
import type { Entry, ZipFile } from 'yauzl'

/** The method of almost every file in a zip. */
const deflated = 8
/** Maximum of bytes that are inflated at once: each piece costs a round trip to another thread. */
const pieceBytes = 256 * 1024

/**
 * The content of a file in an archive.
 * @throws while it is read: for an entry with another length than its header says; no more of it is read
 */
export async function contentOfEntry(zip: ZipFile, entry: Entry): Promise<AsyncIterable<Buffer>> {
  if (entry.compressionMethod !== deflated || entry.isEncrypted()) return zip.openReadStreamPromise(entry)
  return inflated(await zip.openReadStreamPromise(entry, { decodeFileData: false }), entry.uncompressedSize)
}

async function* inflated(content: Readable, bytes: number): AsyncGenerator<Buffer, void> {
  const inflate = createInflateRaw({ chunkSize: pieceBytes })
  content.on('error', (error) => inflate.destroy(error)).pipe(inflate)
  let read = 0
  try {
    for await (const piece of inflate as AsyncIterable<Buffer>) {
      read += piece.length
      if (read > bytes) break
      yield piece
    }
    if (read !== bytes) throw new Error('a file in it has another length than it says')
  } finally {
    content.destroy()
  }
}
