/**
 * Waits for a promise until a signal aborts. The work behind the promise is not stopped.
 * @throws the rejection of the promise, or the reason of the signal
 */
export async function untilAborted<Answer>(promise: Promise<Answer>, signal: AbortSignal): Promise<Answer> {
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
