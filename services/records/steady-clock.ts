/** Milliseconds for which the wall clock must agree with the monotonic one before rows are removed by their age. */
export const agreesFor = 3 * 3_600_000
/** Milliseconds between the two clocks that are not a jump: steps of time synchronisation, a leap second. */
const tolerance = 60_000
/**
 * Maximum of milliseconds that the wall clock may jump, for example while the machine sleeps, and be trusted again
 * later.
 */
const farthest = 86_400_000

/**
 * Compares the wall clock with one that no one can set. Time synchronisation slows or speeds up both alike, so they
 * part only when the wall clock is set, or while the machine sleeps.
 * @param now milliseconds since 1970
 * @param monotonic milliseconds, never running backwards
 * @param jumped called once for each jump of more than a day, with its length in milliseconds; negative for one back
 */
export function steadyClock(
  now: () => number,
  monotonic: () => number,
  jumped: (milliseconds: number) => void,
) {
  const difference = () => now() - monotonic()
  /** The last trusted difference, and the current one. */
  let believed = difference()
  let agreed = believed
  let since = monotonic()
  return {
    /**
     * Call this often: a jump is only seen when it is called before and after.
     * @returns true once the clocks have agreed for three hours. After a jump of more than a day, false until the wall
     *   clock is back, however long that takes.
     */
    isSteady(): boolean {
      const found = difference()
      if (Math.abs(found - agreed) > tolerance) {
        agreed = found
        since = monotonic()
        if (Math.abs(agreed - believed) > farthest) jumped(agreed - believed)
      }
      if (Math.abs(agreed - believed) > farthest || monotonic() - since < agreesFor) return false
      believed = agreed
      return true
    },
  }
}
