/**
 * Changes that take something from a holder (keys, webhooks, Discord servers and their roles), and where they are
 * stored.
 */
import * as v from 'valibot'
import { described, docs } from './described.ts'

/** False: there is no such record. `memory`: the change is made, but a process that is killed now would lose it. */
export type Deletion = boolean | 'memory'

/** A member of every answer to a change of keys, schedules, webhooks, invitations and the like. */
export const whereStored = {
  stored: v.exactOptional(
    described(
      docs(
        "Set while the change is not on the farm's disk: it is lost when farmgate is killed before DATA_DIR can be written.",
      ),
      v.literal('memory'),
    ),
  ),
}

export const deletionResult = v.object({ success: v.literal(true), message: v.string(), ...whereStored })

export const inMemory =
  'It is stored in memory only: farmgate cannot write to DATA_DIR, so make room or fix the disk before it restarts'

/** @param message a sentence that says what was done, without a full stop @param stored not false */
export const deletionAnswer = (message: string, stored: Exclude<Deletion, false>) => ({
  success: true as const,
  ...(stored === 'memory' ? { message: `${message}. ${inMemory}`, stored } : { message }),
})
