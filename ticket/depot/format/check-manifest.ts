import { DownloadError } from '../../errors.ts'
import type { Chunk, DepotFile } from './depot-file.ts'
import { printable } from './safe-path.ts'

/**
 * Limits that bound the memory for a hostile manifest. Chunks of Steam have at most 1 MiB, so that 250,000 of them are
 * 250 GB; the game has 1.5 GB.
 */
const maxFiles = 100_000
const maxChunks = 250_000
const maxChunkBytes = 16 * 2 ** 20

/** Checks the entries of one manifest while it is read. Every method throws DownloadError `manifest`. */
export type ManifestCheck = ReturnType<typeof manifestCheck>

export function manifestCheck() {
  /** The size of each chunk by its SHA-1: equal chunks are fetched once, so they must have one size. */
  const sizes = new Map<string, number>()
  let entries = 0
  let count = 0

  const isPossible = ({ sha, size, packed }: Chunk): boolean => {
    const known = sizes.get(sha) ?? size
    sizes.set(sha, known)
    return sha !== '' && size > 0 && size <= maxChunkBytes && size === known && isEncryptedLength(packed)
  }

  return {
    /** Counts a file, folder or link. */
    entry() {
      entries += 1
      if (entries > maxFiles) throw refused(`the manifest names more than ${maxFiles} files`)
    },
    /** Counts a chunk. */
    chunk() {
      count += 1
      if (count > maxChunks) throw refused(`the manifest names more than ${maxChunks} chunks`)
    },
    /**
     * Checks that chunks cover their file exactly: no gap, which would be filled with unchecked zeros, no overlap, and
     * nothing after the end of the file. Each chunk must have a size that a content server can send.
     * @param chunks in the order of their offsets
     */
    file(path: string, size: number, chunks: readonly Chunk[]) {
      let end = 0
      for (const chunk of chunks) {
        if (chunk.offset !== end || !isPossible(chunk)) throw wrongChunks(path)
        end += chunk.size
      }
      if (end !== size) throw wrongChunks(path)
    },
  }
}

/** Whether `decrypt` accepts this many bytes: the IV and one or more blocks. */
function isEncryptedLength(packed: number): boolean {
  return packed >= 32 && packed <= 2 * maxChunkBytes && packed % 16 === 0
}

/** Checks that no path occurs twice and that only directories contain other paths. @throws DownloadError `manifest` */
export function checkTree(files: readonly DepotFile[]): void {
  const kinds = new Map<string, DepotFile['kind']>()
  for (const { path, kind } of files) {
    if (kinds.has(path)) throw refused(`the manifest names ${printable(path)} twice`)
    kinds.set(path, kind)
  }
  for (const { path } of files) {
    for (let cut = path.lastIndexOf('/'); cut > 0; cut = path.lastIndexOf('/', cut - 1)) {
      const folder = path.slice(0, cut)
      const kind = kinds.get(folder)
      if (kind !== undefined && kind !== 'directory')
        throw refused(`the manifest has ${printable(folder)} both as a file and as a folder`)
    }
  }
}

function wrongChunks(path: string): DownloadError {
  return refused(`the manifest's chunks do not make up ${printable(path)}`)
}

function refused(why: string): DownloadError {
  return new DownloadError('manifest', why)
}
