/** A queue between a connection and one `for await`. */
export interface Mailbox<Item> {
  put(item: Item): void
  /** @param failure thrown by the iteration once the queue is empty */
  end(failure?: Error): void
  readonly iterator: AsyncIterator<Item>
}

/** Maximum of items that wait for a slow reader; then the oldest is dropped. */
const maxWaiting = 10_000

interface MailboxOptions<Item> {
  onDropped(item: Item): void
  /** The `for await` has ended. */
  onReturn(): void
}

/** A call of `next()` that waits for an item or the end. */
interface Reader<Item> {
  resolve(result: IteratorResult<Item>): void
  reject(failure: Error): void
}

export function mailbox<Item>({ onDropped, onReturn }: MailboxOptions<Item>): Mailbox<Item> {
  const waiting: Item[] = []
  /** In the order of their calls. There are some only while no item waits. */
  const readers: Reader<Item>[] = []
  let ended: { readonly failure: Error | undefined } | undefined

  /** Answers a call after the end: the first one with the failure, if there is one. */
  const answerEnd = ({ resolve, reject }: Reader<Item>) => {
    const failure = ended?.failure
    ended = { failure: undefined }
    if (failure === undefined) resolve({ done: true, value: undefined })
    else reject(failure)
  }
  return {
    put(item) {
      if (ended !== undefined) return
      const reader = readers.shift()
      if (reader !== undefined) {
        reader.resolve({ done: false, value: item })
        return
      }
      waiting.push(item)
      const oldest = waiting.length > maxWaiting ? waiting.shift() : undefined
      if (oldest !== undefined) onDropped(oldest)
    },
    end(failure) {
      ended ??= { failure }
      readers.splice(0).forEach(answerEnd)
    },
    iterator: {
      next() {
        return new Promise((resolve, reject) => {
          const item = waiting.shift()
          if (item !== undefined) resolve({ done: false, value: item })
          else if (ended !== undefined) answerEnd({ resolve, reject })
          else readers.push({ resolve, reject })
        })
      },
      async return() {
        waiting.length = 0
        ended = { failure: undefined }
        readers.splice(0).forEach(answerEnd)
        onReturn()
        return { done: true, value: undefined }
      },
    },
  }
}
