/**
 * Waits for a promise for at most so many milliseconds. What it stands for goes on; only nobody waits for it any more.
 * @throws what the promise rejects with, or what `late` makes once the time is up
 */
export async function withTimeLimit<Answer>(
  milliseconds: number,
  promise: Promise<Answer>,
  late: () => Error,
): Promise<Answer> {
  const { promise: timeUp, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(late()), milliseconds)
  try {
    return await Promise.race([promise, timeUp])
  } finally {
    clearTimeout(timer)
  }
}
