import type { Records } from '../../handlers/records.ts'

/** The records for handlers that only ask for their state: each call fails. */
export const noRecords = new Proxy({} as Records, {
  get(_target, name) {
    if (name === 'state') return () => 'ok'
    throw new Error(`the records were asked for ${String(name)}`)
  },
})
