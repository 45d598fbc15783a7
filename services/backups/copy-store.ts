/** A place for copies of backups that does not end with the farm's disk. */
export interface CopyStore {
  /**
   * Stores a copy; one of the same name is replaced, as a whole or not at all.
   * @param bytes of the content
   * @param content is read no faster than it is sent
   * @throws {CopyError}
   */
  write(name: string, bytes: number, content: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void>
  /**
   * Reads a copy back.
   * @param bytes that it should have, from which the time for it is reckoned
   * @throws {CopyError}
   */
  read(name: string, bytes: number, signal: AbortSignal): AsyncIterable<Uint8Array>
  /** Removes a copy; none of that name is no error. @throws {CopyError} */
  remove(name: string, signal: AbortSignal): Promise<void>
}

/** Why a copy was not made, read or removed; the message completes "the copy failed: …" and holds no secret. */
export class CopyError extends Error {
  override readonly name = 'CopyError'
}
