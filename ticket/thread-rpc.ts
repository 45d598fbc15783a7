import { type BirpcReturn, createBirpc } from 'birpc'
import { DownloadError, LogonError, PlatformError } from './errors.ts'

/** One side of the channel between two threads: a `Worker`, or `parentPort` inside one. */
interface ThreadPort {
  postMessage(message: unknown): void
  on(event: 'message', listener: (message: unknown) => void): unknown
}

/**
 * Lets two threads call each other's functions by name. `postMessage` clones arguments and answers; errors keep their
 * class, kind and message. A call has no time limit; callers that need one use `withTimeLimit`.
 *
 * All three kinds of threads (session, download, decoding) use birpc.
 *
 * @param port the channel to the other thread
 * @param functions the functions that the other thread may call
 * @param events functions of the other thread that send no answer
 * @returns the functions of the other thread; `$close(error)` rejects the pending calls
 */
export function threadRpc<Remote extends object, Local extends object>(
  port: ThreadPort,
  functions: Local,
  events: (keyof Remote)[] = [],
): BirpcReturn<Remote, Local> {
  return createBirpc<Remote, Local>(functions, {
    post: (message) => port.postMessage(message),
    on: (receive) => void port.on('message', receive),
    serialize: (message) => ('e' in message ? { ...message, e: errorMessage(message.e) } : message),
    deserialize: (message) => ('e' in message ? { ...message, e: errorOf(message.e) } : message),
    eventNames: events,
    bind: 'functions',
    timeout: -1,
  })
}

/** An error as it is sent to another thread. `postMessage` clones only fields, so `name` carries the class. */
type ErrorMessage =
  | { readonly name: 'DownloadError'; readonly kind: DownloadError['kind']; readonly message: string }
  | { readonly name: 'PlatformError'; readonly kind: PlatformError['kind']; readonly result?: string }
  | {
      readonly name: 'LogonError'
      readonly kind: LogonError['kind']
      readonly message: string
      readonly result?: string
    }
  | {
      readonly name: 'Error'
      readonly message: string
      readonly code?: string | undefined
      readonly path?: string | undefined
    }

function errorMessage(error: unknown): ErrorMessage {
  if (error instanceof DownloadError)
    return { name: 'DownloadError', kind: error.kind, message: error.message }
  if (error instanceof PlatformError) return { name: 'PlatformError', kind: error.kind, ...resultOf(error) }
  if (error instanceof LogonError) {
    return { name: 'LogonError', kind: error.kind, message: error.message, ...resultOf(error) }
  }
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) }
  const { code, path }: NodeJS.ErrnoException = error
  return { name: 'Error', message: error.message, code, path }
}

function resultOf({ result }: { readonly result: string | undefined }): { readonly result?: string } {
  return result === undefined ? {} : { result }
}

function errorOf(message: ErrorMessage): Error {
  switch (message.name) {
    case 'DownloadError':
      return new DownloadError(message.kind, message.message)
    case 'PlatformError':
      return new PlatformError(message.kind, message.result)
    case 'LogonError':
      return new LogonError(message.kind, message.message, message.result)
    case 'Error': {
      const { code, path } = message
      return Object.assign(new Error(message.message), code === undefined ? {} : { code, path })
    }
  }
}
