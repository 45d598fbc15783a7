/** @returns a generator of pseudorandom numbers, 0 ≤ x < 1 (mulberry32). The same seed gives the same numbers. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** @returns pseudorandom bytes that compress about as well as a program: repeats between random bytes. */
export function seededBytes(seed: number, size: number): Buffer {
  const random = seededRandom(seed)
  const bytes = Buffer.allocUnsafe(size)
  for (let at = 0; at < size; ) {
    const length = Math.min(size - at, 4 + Math.floor(random() * 28))
    if (at > 64 && random() < 0.75) {
      const back = 1 + Math.floor(random() * Math.min(at - 1, 65_000))
      for (let index = 0; index < length; index++) bytes[at + index] = bytes[at + index - back] ?? 0
    } else {
      for (let index = 0; index < length; index++) bytes[at + index] = Math.floor(random() * 256)
    }
    at += length
  }
  return bytes
}
