/**
 * Puts the pieces of an answer together, as they come. A peer can send each byte as a piece of its own, and a million
 * small buffers take a hundred times the memory of their bytes.
 * @param most bytes
 */
export function collected(most: number) {
  let bytes = new Uint8Array(0)
  let size = 0
  return {
    /** @returns false, without taking it, for a piece after which there are too many bytes */
    add(piece: Uint8Array): boolean {
      const end = size + piece.byteLength
      if (end > most) return false
      if (end > bytes.byteLength) {
        const larger = new Uint8Array(Math.min(most, Math.max(end, bytes.byteLength * 2, 1024)))
        larger.set(bytes.subarray(0, size))
        bytes = larger
      }
      bytes.set(piece, size)
      size = end
      return true
    },
    whole: (): Uint8Array<ArrayBuffer> => bytes.subarray(0, size),
  }
}
