/** Which backups the rule of `BACKUP_KEEP` removes. */
import type { GameDay } from '../../handlers/backup-record.ts'
import type { KeptBackup } from './backup-index.ts'

/** `BACKUP_KEEP`: of how many game days, calendar weeks and months (UTC) the last backup is kept. */
export interface KeepRule {
  readonly days: number
  readonly weeks: number
  readonly months: number
}

type Judged = Pick<KeptBackup, 'id' | 'madeAt' | 'reason' | 'save' | 'gameVersion' | 'verifiedAt'> & GameDay

/**
 * Judges the farms each by itself. Never removed: those made by hand or before a restore, the last one before the game
 * was updated, the last verified one, and those that were not verified, which do not count.
 * @param backups in any order @returns ids
 */
export function removable(backups: readonly Judged[], rule: KeepRule): readonly string[] {
  const newestFirst = [...backups].sort((a, b) => (a.madeAt < b.madeAt ? 1 : -1))
  const farms = Map.groupBy(newestFirst, ({ save }) => farmOf(save))
  return [...farms.values()].flatMap((ofFarm) => removableOfFarm(ofFarm, rule))
}

function removableOfFarm(newestFirst: readonly Judged[], rule: KeepRule): string[] {
  const kept = new Set<Judged>()
  const verified = newestFirst.filter(({ verifiedAt }) => verifiedAt !== undefined)
  const keepLastOf = (count: number, period: (backup: Judged) => string) => {
    const seen = new Set<string>()
    for (const backup of verified) {
      const name = period(backup)
      if (seen.has(name) || seen.size >= count) continue
      seen.add(name)
      kept.add(backup)
    }
  }
  keepLastOf(rule.days, ({ year, season, day }) => `${year} ${season} ${day}`)
  keepLastOf(rule.weeks, ({ madeAt }) => weekOf(madeAt))
  keepLastOf(rule.months, ({ madeAt }) => madeAt.slice(0, 7))
  const [last] = verified
  if (last !== undefined) kept.add(last)
  verified.forEach((backup, at) => {
    const next = verified[at - 1]
    if (next !== undefined && next.gameVersion !== backup.gameVersion) kept.add(backup)
  })
  return verified.filter((one) => one.reason === 'day' && !kept.has(one)).map(({ id }) => id)
}

/** The game gives each farm a number, which ends the name of its folder also when the rest of it is changed. */
const farmOf = (save: string): string => /_([0-9]+)$/.exec(save)?.[1] ?? save

const dayLength = 86_400_000
/** The Monday of its week. */
function weekOf(madeAt: string): string {
  const at = new Date(madeAt)
  return new Date(at.getTime() - ((at.getUTCDay() + 6) % 7) * dayLength).toISOString().slice(0, 10)
}
