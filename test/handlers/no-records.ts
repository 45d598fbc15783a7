import type { Records } from '../../handlers/records.ts'

/** Records whose state alone can be read: each call fails. */
export const noRecords = new Proxy({} as Records, {
  get(_target, name) {
    if (name === 'state') return () => 'ok'
    throw new Error(`the records were asked for ${String(name)}`)
  },
})
