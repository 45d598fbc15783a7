/** All tests and stand-ins wait with these two functions. */

// Bound here, so that a test with its own clock still waits by the machine's.
const now = performance.now.bind(performance)

/** Waits so many milliseconds, without keeping the process alive. */
export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    // In workerd a timer is a number.
    setTimeout(resolve, milliseconds).unref?.()
  })
}

/**
 * Repeats a check until it neither throws nor returns false, for at most `within` milliseconds. @returns the result of
 * the check @throws the check's last error
 *
 * The longer it has waited the less often it checks: what it waits for needs the processor too. A check that starts
 * programs pauses for `rest` milliseconds instead.
 */
export async function eventually<T>(
  check: () => T | Promise<T>,
  within = 120_000,
  rest?: number,
): Promise<T> {
  const began = now()
  for (;;) {
    const waited = now() - began
    const late = waited > within
    try {
      const answer = await check()
      if (answer !== false) return answer
      if (late) throw new Error(`still false after ${within} ms: ${check}`)
    } catch (error) {
      if (late) throw error
    }
    await pause(rest ?? Math.min(Math.max(waited / 10, 10), 50))
  }
}
