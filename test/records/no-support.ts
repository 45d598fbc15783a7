import type { Support } from '../../handlers/support.ts'

/** An empty zip. */
export const noSupport: Support = { bundle: async () => Buffer.from('PK\x05\x06'.padEnd(22, '\0')) }
