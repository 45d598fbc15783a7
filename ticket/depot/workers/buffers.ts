/** Memory for chunks on their way: the network writes into it, worker threads read it there. */
export interface Buffers {
  /** Shared memory of so many bytes; what it holds is nobody's. */
  take(length: number): Buffer
  /** Gives it back; nobody may write to it any more. */
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
      // None is large enough: one that is too small makes room for the new one.
      const [found] = spare.splice(Math.max(index, 0), 1)
      const memory = found !== undefined && index >= 0 ? found : new SharedArrayBuffer(rounded(length))
      return Buffer.from(memory, 0, length)
    },
    give({ buffer }) {
      if (buffer instanceof SharedArrayBuffer) spare.push(buffer)
    },
  }
}
