import { extname } from 'node:path'
import { archivesApart } from '../archives/apart.ts'
import type { ImportCalls } from './import-calls.ts'
import { ImportRefused, importReasons } from './import-refused.ts'

/** Calls of an import, in a thread. */
export const importApart = archivesApart<ImportCalls>(
  new URL(`./import-thread${extname(import.meta.url)}`, import.meta.url),
  {
    ImportRefused: (message, detail) =>
      new ImportRefused(
        message,
        importReasons.find((one) => one === detail),
      ),
  },
)
