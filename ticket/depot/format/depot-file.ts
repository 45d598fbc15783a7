/** A part of a file, usually at most 1 MiB, identified by its SHA-1. */
export interface Chunk {
  /** Lower-case hex SHA-1 of the plain data. */
  readonly sha: string
  readonly offset: number
  readonly size: number
  /** Bytes of the encrypted and compressed chunk, as it is downloaded. */
  readonly packed: number
}

/** One entry of a manifest. Its path is checked and relative to the target directory. */
export interface DepotFile {
  readonly path: string
  readonly kind: 'file' | 'directory' | 'link'
  readonly size: number
  /** Hex SHA-1 of the whole file. */
  readonly sha: string
  readonly executable: boolean
  /** Where a link points. */
  readonly target: string
  readonly chunks: readonly Chunk[]
}
