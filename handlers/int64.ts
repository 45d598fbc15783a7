import * as v from 'valibot'

const smallest = -(2n ** 63n)
const largest = 2n ** 63n - 1n

/** A signed 64-bit integer: player ids (UniqueMultiplayerID) can be any of them, negative ones included. */
export const int64 = v.pipe(v.bigint(), v.minValue(smallest), v.maxValue(largest))

/** The same as it comes out of `parseJson`, where small integers are plain numbers. */
export const int64FromJson = v.pipe(
  v.union([v.bigint(), v.pipe(v.number(), v.safeInteger())]),
  v.transform((id) => BigInt(id)),
  int64,
)

/** Whether a bigint fits a signed 64-bit integer. */
export const isInt64 = (id: bigint): boolean => id >= smallest && id <= largest
