import type { ErrorsInMessages } from '../../lib/thread-rpc.ts'

/** Only the message of an error is sent. */
export const plainErrors: ErrorsInMessages = {
  messageOf: (error) => (error instanceof Error ? error.message : String(error)),
  errorOf: (message) => new Error(String(message)),
}
