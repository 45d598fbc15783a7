/** A place for copies of backups outside the farm's disk. */
export interface CopyStore {
  /**
   * Stores a copy, replacing one of the same name, completely or not at all.
   * @param bytes of the content
   * @param content read no faster than it is sent
   * @throws {CopyError}
   */
  write(name: string, bytes: number, content: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void>
  /**
   * Reads a copy back.
   * @param bytes that it should have, from which its time limit follows
   * @throws {CopyError}
   */
  read(name: string, bytes: number, signal: AbortSignal): AsyncIterable<Uint8Array>
  /** Removes a copy; a missing one is not an error. @throws {CopyError} */
  remove(name: string, signal: AbortSignal): Promise<void>
}

/** Why a copy was not made, read or removed; the message completes "the copy failed: …" and has no secret. */
export class CopyError extends Error {
  override readonly name = 'CopyError'
}
