/** Calls between threads. */
import { type BirpcReturn, createBirpc } from 'birpc'

/** One side of the channel between two threads: a `Worker`, or `parentPort` inside one. */
export interface ThreadPort {
  postMessage(message: unknown): void
  on(event: 'message', listener: (message: unknown) => void): unknown
}

/** Errors as another thread gets them: `postMessage` clones only fields, not classes. */
export interface ErrorsInMessages {
  messageOf(error: unknown): unknown
  errorOf(message: unknown): Error
}

/**
 * Lets two threads call each other's functions by name. `postMessage` clones arguments and answers. A call has no time
 * limit; callers that need one use `withTimeLimit`.
 * @param port the channel to the other thread
 * @param functions the functions that the other thread may call
 * @param errors how rejections are sent
 * @param events functions of the other thread that send no answer
 * @returns the functions of the other thread; `$close(error)` rejects the pending calls
 */
export function threadRpc<Remote extends object, Local extends object>(
  port: ThreadPort,
  functions: Local,
  errors: ErrorsInMessages,
  events: (keyof Remote)[] = [],
): BirpcReturn<Remote, Local> {
  return createBirpc<Remote, Local>(functions, {
    post: (message) => port.postMessage(message),
    on: (receive) => void port.on('message', receive),
    serialize: (message) => ('e' in message ? { ...message, e: errors.messageOf(message.e) } : message),
    deserialize: (message) => ('e' in message ? { ...message, e: errors.errorOf(message.e) } : message),
    eventNames: events,
    bind: 'functions',
    timeout: -1,
  })
}
