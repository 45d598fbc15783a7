/**
 * Gives a buffer's memory back at once. Megabytes that wait for the garbage collector add up to hundreds, and
 * collecting them stalls the thread. Only for buffers that nobody else can hold.
 */
export function release(bytes: Buffer): void {
  const { buffer, byteOffset, length } = bytes
  // Smaller ones are cut from a pool that others use.
  const pooled = byteOffset !== 0 || length < Buffer.poolSize >>> 1
  if (pooled || !(buffer instanceof ArrayBuffer) || buffer.detached) return
  try {
    buffer.transfer(0)
  } catch {
    // Memory of native code may refuse: the collector frees it, later.
  }
}
