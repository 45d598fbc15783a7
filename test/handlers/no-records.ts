import type { Records } from '../../handlers/records.ts'

/** The records for handlers that do not use them: each call fails. */
export const noRecords = new Proxy({} as Records, {
  get(_target, name) {
    throw new Error(`the records were asked for ${String(name)}`)
  },
})
