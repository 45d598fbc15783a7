/** Chat lines on their way out: each is sent once, when there is a connection, and ends with the server's answer. */
import { FarmgateError } from './error.ts'

export interface SayLine {
  author: string
  message: string
}

interface Line {
  readonly payload: object
  isSent: boolean
  end(failure?: FarmgateError): void
}

/** @param send sends a `chat_send`; returns false when there is no connection */
export function outgoingChat(send: (payload: object) => boolean) {
  const lines = new Map<string, Line>()
  let lastId = 0
  let closed: FarmgateError | undefined
  const sendWaiting = () => {
    for (const line of lines.values()) if (!line.isSent) line.isSent = send(line.payload)
  }
  const unknown = (cause: string) =>
    new FarmgateError('outcome_unknown', `${cause}; whether the message was said is unknown`)
  const late = (isSent: boolean, timeout: number) =>
    isSent
      ? unknown(`No answer within ${timeout} ms`)
      : new FarmgateError('timeout', `No connection within ${timeout} ms; the message was not said`, {
          retry: true,
        })
  return {
    /** @throws {FarmgateError} see `Live.say` */
    say: (line: SayLine, timeout: number) =>
      new Promise<void>((resolve, reject) => {
        if (closed !== undefined) return reject(closed)
        lastId += 1
        const id = String(lastId)
        const timer = setTimeout(() => waiting.end(late(waiting.isSent, timeout)), timeout)
        const waiting: Line = {
          payload: { ...line, id },
          isSent: false,
          end(failure) {
            clearTimeout(timer)
            lines.delete(id)
            if (failure === undefined) resolve()
            else reject(failure)
          },
        }
        lines.set(id, waiting)
        sendWaiting()
      }),
    /** Whether a line has not ended yet. */
    get isWaiting(): boolean {
      return lines.size > 0
    },
    /** Sends what waits, in order. */
    connected: sendWaiting,
    /** The outcome of unanswered lines is unknown. Unsent ones wait for the next connection. */
    disconnected() {
      for (const line of [...lines.values()]) if (line.isSent) line.end(unknown('The connection broke'))
    },
    /** Nothing is sent any more. */
    close(failure: FarmgateError) {
      closed = failure
      for (const line of [...lines.values()])
        line.end(line.isSent ? unknown('The connection was closed') : failure)
    },
    answered: (id: string, failure?: FarmgateError) => lines.get(id)?.end(failure),
  }
}
