/** A read that is shared by all callers: those at one time wait for one, and a good answer is served again for a while. */
export interface KeptAnswer<T> {
  /** @throws the error of the read, which is not kept */
  get(): Promise<T>
  /** Makes the next call read again, also during an earlier read. */
  drop(): void
}

/** @param keepFor milliseconds, counted from the beginning of the read */
export function keptAnswer<T>(
  read: () => Promise<T>,
  keepFor: number,
  monotonic: () => number,
): KeptAnswer<T> {
  let kept: { readonly answer: Promise<T>; readonly at: number; isRead: boolean } | undefined
  const begin = () => {
    const begun = { answer: read(), at: monotonic(), isRead: false }
    kept = begun
    begun.answer.then(
      () => {
        begun.isRead = true
      },
      () => {
        if (kept === begun) kept = undefined
      },
    )
    return begun.answer
  }
  return {
    get: () =>
      kept !== undefined && !(kept.isRead && monotonic() - kept.at >= keepFor) ? kept.answer : begin(),
    drop() {
      kept = undefined
    },
  }
}
