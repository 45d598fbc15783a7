import * as v from 'valibot'

const minimum = -(2n ** 63n)
const maximum = 2n ** 63n - 1n

/** An integer as a bigint, or as `parseJson` returns it: as a number below 2^53, and as a bigint above. */
export const anyInteger = v.union([v.bigint(), v.pipe(v.number(), v.safeInteger())])

/**
 * A signed 64-bit integer, such as a player id (UniqueMultiplayerID), which may be negative. The output is a bigint,
 * whether the input was a bigint or a number.
 */
export const int64 = v.pipe(
  anyInteger,
  v.transform((id) => BigInt(id)),
  v.minValue(minimum),
  v.maxValue(maximum),
)

/** Whether a bigint fits a signed 64-bit integer. */
export const isInt64 = (id: bigint): boolean => id >= minimum && id <= maximum
