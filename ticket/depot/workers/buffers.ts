/** Shared memory for downloaded chunks: connections write into it, worker threads read it without a copy. */
export interface Buffers {
  /** @returns a buffer of `length` bytes; it is not cleared, so it may contain bytes of an earlier chunk */
  take(length: number): Buffer
  /** Returns a buffer for use by another chunk. */
  give(buffer: Buffer): void
}

/** Bytes. Sizes are rounded up to a multiple, so that a returned buffer fits most other chunks. */
const sizeStep = 2 ** 18

const rounded = (length: number): number => Math.max(1, Math.ceil(length / sizeStep)) * sizeStep

/** @returns an empty pool of buffers. */
export function openBuffers(): Buffers {
  const spare: SharedArrayBuffer[] = []
  return {
    take(length) {
      const index = spare.findIndex((memory) => memory.byteLength >= length)
      // When none is large enough, one that is too small is dropped and a new one is made.
      const [found] = spare.splice(Math.max(index, 0), 1)
      const memory = found !== undefined && index >= 0 ? found : new SharedArrayBuffer(rounded(length))
      return Buffer.from(memory, 0, length)
    },
    give({ buffer }) {
      if (buffer instanceof SharedArrayBuffer) spare.push(buffer)
    },
  }
}
