/**
 * Waits for a promise for a limited time. The work behind the promise continues.
 * @param late makes the error when the time is over
 * @throws the rejection of the promise, or the error of `late`
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

/**
 * Waits for a promise until a signal aborts, if there is one. The work behind the promise continues.
 * @throws the rejection of the promise, or the reason of the signal
 */
export async function untilAborted<Answer>(
  promise: Promise<Answer>,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  if (signal === undefined) return promise
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([aborted, promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
