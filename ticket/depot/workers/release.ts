/**
 * Frees the memory of a buffer at once. Otherwise hundreds of megabytes wait for the garbage collector, and collecting
 * them blocks the thread. Only for buffers that no other code references.
 */
export function release(bytes: Buffer): void {
  const { buffer, byteOffset, length } = bytes
  // Small buffers are parts of a pool that Node shares.
  const pooled = byteOffset !== 0 || length < Buffer.poolSize >>> 1
  if (pooled || !(buffer instanceof ArrayBuffer) || buffer.detached) return
  try {
    buffer.transfer(0)
  } catch {
    // Memory of native code cannot always be transferred. The garbage collector frees it later.
  }
}
