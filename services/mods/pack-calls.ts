/** What the thread of the pack does, and its errors. */
import * as v from 'valibot'
import { errorCode } from '../../lib/error-code.ts'
import type { ErrorsInMessages } from '../../lib/thread-rpc.ts'
import { writePack } from './pack.ts'

export const packCalls = { write: writePack }
export type PackCalls = typeof packCalls

const sent = v.object({ message: v.string(), code: v.optional(v.string()) })

export const packErrors: ErrorsInMessages = {
  messageOf: (error) => ({
    message: error instanceof Error ? error.message : String(error),
    code: errorCode(error),
  }),
  errorOf(message) {
    const { message: text, code } = v.parse(sent, message)
    return Object.assign(new Error(text), code !== undefined && { code })
  },
}
