/** Which backups the rule of `BACKUP_KEEP` removes. */
import type { GameDay } from '../../handlers/backup-record.ts'
import { farmNumber } from '../saves/saves-folder.ts'
import type { KeptBackup } from './kept-backup.ts'
import { newestFirst } from './making-order.ts'

/** `BACKUP_KEEP`: of how many game days, calendar weeks and months (UTC) the last backup is kept. */
export interface KeepRule {
  readonly days: number
  readonly weeks: number
  readonly months: number
}

type Judged = Pick<KeptBackup, 'id' | 'madeAt' | 'order' | 'reason' | 'save' | 'gameVersion' | 'verifiedAt'> &
  GameDay

/**
 * Judges each farm separately, by the order of making. Never removed are the last backup before the game was updated,
 * the last verified one, and those that are not verified or were made before a restore. Of those made by hand only the
 * newest of each game day are kept. The latter two do not count for the rule: the copy before a restore may be of the
 * same day as the backup that is restored, which would then be removed.
 * @param backups in any order
 * @param isHeld whether nothing of a save's farm is removed
 * @returns ids
 */
export function removable(
  backups: readonly Judged[],
  rule: KeepRule,
  isHeld: (save: string) => boolean = () => false,
): readonly string[] {
  const judged = backups.filter(({ save }) => !isHeld(save)).sort(newestFirst)
  const farms = Map.groupBy(judged, ({ save }) => farmNumber(save))
  return [...farms.values()].flatMap((ofFarm) => removableOfFarm(ofFarm, rule))
}

function removableOfFarm(ofFarm: readonly Judged[], rule: KeepRule): string[] {
  const kept = new Set<Judged>()
  const verified = ofFarm.filter(({ verifiedAt }) => verifiedAt !== undefined)
  const judged = verified.filter(({ reason }) => reason === 'day')
  const keepLastOf = (count: number, period: (backup: Judged) => string) => {
    const seen = new Set<string>()
    for (const backup of judged) {
      const name = period(backup)
      if (seen.has(name) || seen.size >= count) continue
      seen.add(name)
      kept.add(backup)
    }
  }
  keepLastOf(rule.days, gameDayOf)
  keepLastOf(rule.weeks, ({ madeAt }) => weekOf(madeAt))
  keepLastOf(rule.months, ({ madeAt }) => madeAt.slice(0, 7))
  const [last] = judged
  if (last !== undefined) kept.add(last)
  judged.forEach((backup, at) => {
    const next = judged[at - 1]
    if (next !== undefined && next.gameVersion !== backup.gameVersion) kept.add(backup)
  })
  const byHand = Map.groupBy(
    verified.filter(({ reason }) => reason === 'manual'),
    gameDayOf,
  )
  const tooMany = [...byHand.values()].flatMap((ofDay) => ofDay.slice(manualOfOneDay))
  return [...judged.filter((one) => !kept.has(one)), ...tooMany].map(({ id }) => id)
}

/** Maximum of kept verified backups of one game day that were made by hand, so that no key fills the disk with them. */
const manualOfOneDay = 5

const gameDayOf = ({ year, season, day }: GameDay): string => `${year} ${season} ${day}`

const dayLength = 86_400_000
/** The Monday of its week. */
function weekOf(madeAt: string): string {
  const at = new Date(madeAt)
  return new Date(at.getTime() - ((at.getUTCDay() + 6) % 7) * dayLength).toISOString().slice(0, 10)
}
