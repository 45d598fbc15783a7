/** The age of the last verified backup of a farm, and whether it has an off-site copy. */
import * as v from 'valibot'
import { backupFindings } from '../../client/findings.ts'
import type { Check } from './check.ts'
import { checkOf } from './finding-check.ts'

const list = v.object({
  backups: v.array(v.object({ offsite: v.string() })),
  state: v.object({ saves: v.string(), lastVerifiedAt: v.optional(v.string()) }),
})

/**
 * @param answer of `GET /backups`
 * @param now milliseconds since 1970
 */
export function backupChecks(answer: unknown, now: number): Check[] {
  const read = v.safeParse(list, answer)
  return read.success ? backupFindings(read.output, now).map(checkOf) : []
}
