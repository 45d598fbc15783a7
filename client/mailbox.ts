/** A queue between a connection and one `for await`. */
export interface Mailbox<Item> {
  put(item: Item): void
  /** @param failure thrown by the iteration once the queue is empty */
  end(failure?: Error): void
  readonly iterator: AsyncIterator<Item>
}

/** Items that wait for a slow reader at most; beyond that the oldest is dropped. */
const maxWaiting = 10_000

interface MailboxOptions<Item> {
  onDropped(item: Item): void
  /** The `for await` was left. */
  onReturn(): void
}

export function mailbox<Item>({ onDropped, onReturn }: MailboxOptions<Item>): Mailbox<Item> {
  const waiting: Item[] = []
  let wake: (() => void) | undefined
  let ended: { readonly failure: Error | undefined } | undefined
  const done = { done: true, value: undefined } as const
  return {
    put(item) {
      if (ended !== undefined) return
      waiting.push(item)
      const oldest = waiting.length > maxWaiting ? waiting.shift() : undefined
      if (oldest !== undefined) onDropped(oldest)
      wake?.()
    },
    end(failure) {
      ended ??= { failure }
      wake?.()
    },
    iterator: {
      async next() {
        while (waiting.length === 0 && ended === undefined)
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        const value = waiting.shift()
        if (value !== undefined) return { done: false, value }
        if (ended?.failure !== undefined) {
          const { failure } = ended
          ended = { failure: undefined }
          throw failure
        }
        return done
      },
      async return() {
        waiting.length = 0
        ended = { failure: undefined }
        wake?.()
        onReturn()
        return done
      },
    },
  }
}
