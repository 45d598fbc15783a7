import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { readForeign } from '../../lib/foreign/read.ts'

const digest = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/))
const schema = v.object({ digest, browser: digest, endsAt: v.number() })

/** The digests of the code that a browser uses, and when it ends, in milliseconds since 1970. */
export type BoundCode = v.InferOutput<typeof schema>

/** Keeps the code that a browser uses over a restart, so that its page continues. */
export type BoundCodeFile = ReturnType<typeof boundCodeFile>

/** @param folder SESSION_DIR. No one else may read the file, which has no code and no token. */
export function boundCodeFile(folder: string) {
  const path = join(folder, '.setup-code')
  return {
    /** @returns undefined when there is none or it is damaged */
    read(): BoundCode | undefined {
      try {
        return readForeign(schema, readFileSync(path, 'utf8'))
      } catch {
        return undefined
      }
    },
    /** A failure to write is ignored: after a restart the browser then needs the new link. */
    write(code: BoundCode) {
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        writeFileSync(`${path}.new`, JSON.stringify(code), { mode: 0o600 })
        renameSync(`${path}.new`, path)
      } catch {
        // See above.
      }
    },
    remove() {
      try {
        rmSync(path, { force: true })
      } catch {
        // It ends within the hour.
      }
    },
  }
}
