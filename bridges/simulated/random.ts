/** Random numbers from a seed: the same seed gives the same numbers. */
export type Random = ReturnType<typeof seededRandom>

/** xmur3 over the seed's text, then mulberry32 (both public domain, Bryc): small and fast; not for secrets. */
export function seededRandom(seed: string) {
  let state = 1779033703 ^ seed.length
  for (let at = 0; at < seed.length; at += 1) {
    state = Math.imul(state ^ seed.charCodeAt(at), 3432918353)
    state = (state << 13) | (state >>> 19)
  }
  const uint32 = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  const fraction = () => uint32() / 2 ** 32
  const whole = (minimum: number, maximum: number) =>
    minimum + Math.floor(fraction() * (maximum - minimum + 1))
  return {
    /** From 0 (included) to 1 (excluded). */
    fraction,
    /** A whole number, both ends included. */
    whole,
    chance: (probability: number): boolean => fraction() < probability,
    /** @throws {RangeError} when there is nothing to pick from */
    pick<T>(from: readonly T[]): T {
      const picked = from[whole(0, from.length - 1)]
      if (picked === undefined) throw new RangeError('nothing to pick from')
      return picked
    },
    /** A player id beyond 2^53, where a double loses digits; half of them are negative. */
    playerId(): bigint {
      const high = BigInt(uint32() & 0x7fffffff) | 0x40000000n
      const id = (high << 32n) | BigInt(uint32())
      return uint32() % 2 === 0 ? id : -id
    },
  }
}
