/** The calls for one archive, and the errors of writing and reading it, as threads send them to each other. */
import * as v from 'valibot'
import { errorCode } from '../../lib/error-code.ts'
import { NotAFolder, NotRegular } from '../../lib/shared-folder/access.ts'
import type { ErrorsInMessages } from '../../lib/thread-rpc.ts'
import type { Manifest } from '../archives/manifest.ts'
import { BrokenArchive, verifyArchive } from '../archives/read-archive.ts'
import type { Save } from '../saves/saves-folder.ts'
import { writeArchive } from './write-archive.ts'

/** The calls for one archive, in the main thread or in a separate one. */
export interface ArchiveCalls {
  /** As `writeArchive`. */
  write(path: string, save: Save, manifest: Manifest): Promise<void>
  /** As `verifyArchive`. */
  verify(path: string): Promise<void>
}

export const archiveCalls: ArchiveCalls = {
  write: writeArchive,
  async verify(path) {
    await verifyArchive(path)
  },
}

const sent = v.object({
  kind: v.picklist(['broken', 'notRegular', 'other']),
  message: v.string(),
  code: v.optional(v.string()),
})
type Sent = v.InferOutput<typeof sent>

const kindOf = (error: unknown): Sent['kind'] => {
  if (error instanceof BrokenArchive) return 'broken'
  return error instanceof NotRegular ? 'notRegular' : 'other'
}

export const archiveErrors: ErrorsInMessages = {
  messageOf: (error): Sent => ({
    kind: kindOf(error),
    message: error instanceof Error ? error.message : String(error),
    code: error instanceof NotAFolder ? 'ENOTDIR' : errorCode(error),
  }),
  errorOf(message) {
    const { kind, message: text, code } = v.parse(sent, message)
    if (kind === 'broken') return new BrokenArchive(text)
    if (kind === 'notRegular') return new NotRegular(text)
    return Object.assign(new Error(text), code !== undefined && { code })
  },
}
