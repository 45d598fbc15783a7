/** How old the last verified backup of a farm is, and whether it is copied elsewhere. */
import * as v from 'valibot'
import { type Check, ok, warning } from './check.ts'

const list = v.object({
  backups: v.array(v.object({ elsewhere: v.string() })),
  state: v.object({ saves: v.string(), lastVerifiedAt: v.optional(v.string()) }),
})

const hour = 3_600_000
/** Hours. A farm that nobody plays has no new backup. */
const longAgo = 7 * 24

/**
 * @param answer of `GET /backups`
 * @param now milliseconds since 1970
 */
export function backupChecks(answer: unknown, now: number): Check[] {
  const read = v.safeParse(list, answer)
  if (!read.success) return []
  const { backups, state } = read.output
  const failed = backups.filter(({ elsewhere }) => elsewhere === 'failed').length
  return [
    ageCheck(state, now),
    ...(failed === 0
      ? []
      : [
          warning(
            'copies elsewhere',
            `${failed} of ${backups.length} backups could not be copied`,
            'The log of farmgate has the cause: "backups cannot be copied elsewhere".',
          ),
        ]),
  ]
}

function ageCheck({ saves, lastVerifiedAt }: v.InferOutput<typeof list>['state'], now: number): Check {
  if (saves === 'absent')
    return warning('backups', 'none are made: farmgate sees no saves', 'Set SAVES_DIR (docs/backups.md).')
  if (lastVerifiedAt === undefined)
    return warning('backups', 'there is no verified one yet', 'Make one: farmgate backups make')
  const hours = Math.max(0, Math.floor((now - Date.parse(lastVerifiedAt)) / hour))
  const age =
    hours < 2 ? 'less than 2 hours' : hours < 48 ? `${hours} hours` : `${Math.floor(hours / 24)} days`
  const found = `the last verified one is ${age} old`
  return hours < longAgo
    ? ok('backups', found)
    : warning('backups', found, 'If somebody has played since, look at the log of farmgate.')
}
