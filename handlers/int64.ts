import * as v from 'valibot'

const smallest = -(2n ** 63n)
const largest = 2n ** 63n - 1n

/** An integer in memory, or as `parseJson` reads it: below 2^53 it is a plain number there. */
export const anyInteger = v.union([v.bigint(), v.pipe(v.number(), v.safeInteger())])

/**
 * A signed 64-bit integer: player ids (UniqueMultiplayerID) lie anywhere in it, negative ones included.
 * What comes out is a bigint, whether it went in as one or as the plain number that JSON text gave.
 */
export const int64 = v.pipe(
  anyInteger,
  v.transform((id) => BigInt(id)),
  v.minValue(smallest),
  v.maxValue(largest),
)

/** Whether a bigint fits a signed 64-bit integer. */
export const isInt64 = (id: bigint): boolean => id >= smallest && id <= largest
