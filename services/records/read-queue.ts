/**
 * Reads that callers can request without limit wait here, not in the thread, which gets one at a time. A write then
 * waits for one read at most.
 */
import { stringifyJson } from '../../lib/json.ts'

/** Maximum of different waiting reads; equal ones count as one. */
export const maxWaiting = 100

/** Too many reads wait. */
export class TooManyReads extends Error {
  override readonly name = 'TooManyReads'
}

/**
 * @returns makes a read in its turn. Reads of one name and query share one answer unless the first has begun, because
 * a write may have been answered since
 * @throws TooManyReads when a hundred others wait
 */
export function readQueue() {
  const waiting = new Map<
    string,
    { readonly answer: Promise<unknown>; readonly begin: () => Promise<void> }
  >()
  let isReading = false
  const readNext = async () => {
    if (isReading) return
    isReading = true
    for (const [key, { begin }] of waiting) {
      waiting.delete(key)
      await begin()
    }
    isReading = false
  }
  return async <Query, Answer>(
    name: string,
    query: Query,
    read: (query: Query) => Promise<Answer>,
  ): Promise<Answer> => {
    const key = `${name} ${stringifyJson(query)}`
    // Equal keys have equal reads.
    const equal = waiting.get(key)?.answer as Promise<Answer> | undefined
    if (equal !== undefined) return equal
    if (waiting.size >= maxWaiting) throw new TooManyReads(`${maxWaiting} reads wait`)
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    const begin = () => read(query).then(resolve, reject)
    waiting.set(key, { answer: promise, begin })
    void readNext()
    return promise
  }
}
