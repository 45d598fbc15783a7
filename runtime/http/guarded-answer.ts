/** Answers whose body is made while it is sent, and so can fail after status and headers were sent. */
import { causeOf } from '../../handlers/problem.ts'
import type { StreamAnswer } from './answer.ts'
import type { Caller } from './caller.ts'

interface Platform {
  readonly log: { warn(fields: object, message: string): void }
  /** Gives a body the length of its `Content-Length`, on platforms that do not take it from the header. */
  fixedLength?(body: StreamAnswer['body'], length: number): StreamAnswer['body']
}

/**
 * The answer with a body that logs its own failure and then ends the connection, so that the client does not take a
 * part for the whole. `@hono/node-server` writes the stack of a failure to standard error, and may end the answer as
 * if it were whole.
 * @param request fields of the log line
 */
export function guardedAnswer(
  answer: StreamAnswer,
  caller: Pick<Caller, 'breakOff'>,
  { log, fixedLength }: Platform,
  request: object,
): StreamAnswer {
  const reader = answer.body.getReader()
  let isWanted = true
  let fail: (error: unknown) => void = () => undefined
  // At once, also while the client takes nothing and the next piece is not read.
  reader.closed.catch((error: unknown) => {
    if (!isWanted) return
    isWanted = false
    log.warn({ ...request, cause: causeOf(error) }, 'an answer was cut short')
    // Closing the connection cancels this body.
    if (caller.breakOff !== undefined) caller.breakOff()
    else fail(error)
  })
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        fail = (error) => controller.error(error)
      },
      async pull(controller) {
        const next = await reader.read().catch(() => undefined)
        if (!isWanted || next === undefined) return
        if (next.done) controller.close()
        else controller.enqueue(next.value)
      },
      cancel(reason) {
        isWanted = false
        return reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
  const { bytes } = answer
  return {
    ...answer,
    body: bytes === undefined || fixedLength === undefined ? body : fixedLength(body, bytes),
  }
}
