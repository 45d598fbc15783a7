import type { BirpcReturn } from 'birpc'
import { type ErrorsInMessages, type ThreadPort, threadRpc as withErrors } from '../lib/thread-rpc.ts'
import { DownloadError, LogonError, PlatformError } from './errors.ts'

/**
 * `threadRpc` of `lib/`; errors keep their class, kind and message. All three kinds of threads (session, download,
 * decoding) use it.
 */
export const threadRpc = <Remote extends object, Local extends object>(
  port: ThreadPort,
  functions: Local,
  events: (keyof Remote)[] = [],
): BirpcReturn<Remote, Local> => withErrors(port, functions, ticketErrors, events)

/** An error for another thread. `postMessage` clones only fields, so `name` carries the class. */
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

/** Errors of this service as its threads exchange them. */
export const ticketErrors: ErrorsInMessages = { messageOf: errorMessage, errorOf }
