/** How old the last verified backup of a farm is, and whether it is copied off-site. */
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
