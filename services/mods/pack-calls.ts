/** What the thread of the pack does. */
import { writePack } from './pack.ts'

export const packCalls = { write: writePack }
export type PackCalls = typeof packCalls
