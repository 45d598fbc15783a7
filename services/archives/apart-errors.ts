/** Errors of archives as threads send them to each other: `postMessage` clones only fields, not classes. */
import * as v from 'valibot'
import { errorCode } from '../../lib/error-code.ts'
import { NotAFolder, NotRegular } from '../../lib/shared-folder/access.ts'
import type { ErrorsInMessages } from '../../lib/thread-rpc.ts'
import { BrokenArchive } from './broken-archive.ts'

const sent = v.object({
  name: v.string(),
  message: v.string(),
  code: v.optional(v.string()),
  /** Of the folder that is none, or why an import was refused. */
  detail: v.optional(v.string()),
})

/** By the name of the error. */
export type RevivedErrors = Readonly<Record<string, (message: string, detail: string) => Error>>

const usual: RevivedErrors = {
  BrokenArchive: (message) => new BrokenArchive(message),
  NotRegular: (message) => new NotRegular(message),
  NotAFolder: (_message, path) => new NotAFolder(path),
}

export const errorsApart = (more: RevivedErrors = {}): ErrorsInMessages => ({
  messageOf: (error): v.InferOutput<typeof sent> => ({
    name: error instanceof Error ? error.name : '',
    message: error instanceof Error ? error.message : String(error),
    code: errorCode(error),
    detail: detailOf(error),
  }),
  errorOf(message) {
    const { name, message: text, code, detail = '' } = v.parse(sent, message)
    const revived = { ...usual, ...more }[name]?.(text, detail)
    return revived ?? Object.assign(new Error(text), code !== undefined && { code })
  },
})

function detailOf(error: unknown): string | undefined {
  if (error instanceof NotAFolder) return error.path
  return error instanceof Error && 'because' in error ? String(error.because) : undefined
}
