/** Memory for chunks on their way: the network writes into it, worker threads read it there. */
export interface Buffers {
  /** Shared memory of so many bytes; it is not cleared, so it may hold bytes of an earlier chunk. */
  take(length: number): Buffer
  /** Gives it back, to be used for another chunk. */
  give(buffer: Buffer): void
}

/** Sizes are rounded up, so that what one chunk leaves fits most others. */
const sizeStep = 2 ** 18

const rounded = (length: number): number => Math.max(1, Math.ceil(length / sizeStep)) * sizeStep

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
