/** What is wrong with a farm of the fleet (docs/edge.md, "Trouble"), judged when it is asked for. Pure. */
import type { FleetEntry, Trouble } from '../../handlers/fleet.ts'
import { version } from '../../lib/version.ts'
import type { FleetReport } from './report.ts'

const hour = 3_600_000
const day = 24 * hour
/** As in the alerts (deploy/prometheus/alerts.yml). */
const oldBackup = 48 * hour
const fewTokenDays = 14

/** A farm as the fleet object knows it. Times are milliseconds since 1970. */
interface KnownFarm {
  readonly createdAt: number
  /** Undefined for a farm that has never reported. */
  readonly report: FleetReport | undefined
}

/** @param now milliseconds since 1970 @returns worst first */
export function troubleOf(farm: KnownFarm, now: number): Trouble[] {
  const { report } = farm
  // A farm that was never linked has no other trouble yet.
  if (report === undefined || report.lastSeen === 0) return ['never_linked']
  const { linked, upkeep } = report
  const found: Readonly<Partial<Record<Trouble, boolean | undefined>>> = {
    offline: !linked,
    // Unknown while the farm is offline.
    game_offline: linked && report.gameOffline,
    wrong_farm: linked && upkeep?.wrongFarm,
    night_stuck: linked && upkeep?.nightStuck,
    signed_out: linked && upkeep?.steam?.signedOut,
    records_failing: linked && report.recordsFailing,
    backup_failing: linked && upkeep?.backups?.failing,
    backup_old: isBackupOld(farm, now),
    token_expiring: (tokenDays(report, now) ?? fewTokenDays) < fewTokenDays,
    version_old: upkeep !== undefined && isOlder(upkeep.version, version),
  }
  return Object.entries(found).flatMap(([code, isFound]) => (isFound === true ? [code as Trouble] : []))
}

/** The ages of a farm, as `GET /farms` shows them. */
export function agesOf(report: FleetReport, now: number): Pick<FleetEntry, 'backupAgeHours' | 'tokenDays'> {
  const lastAt = report.upkeep?.backups?.lastAt
  const days = tokenDays(report, now)
  return {
    ...(lastAt !== undefined && { backupAgeHours: Math.max(0, Math.floor((now - lastAt) / hour)) }),
    ...(days !== undefined && { tokenDays: days }),
  }
}

/** Players were on the farm in the last 48 hours, and its last backup is older than that. */
function isBackupOld({ createdAt, report }: KnownFarm, now: number): boolean {
  const backups = report?.upkeep?.backups
  if (report === undefined || backups === undefined) return false
  const playedAt = report.linked && report.players > 0 ? now : (report.playedAt ?? 0)
  return now - playedAt < oldBackup && now - (backups.lastAt ?? createdAt) > oldBackup
}

function tokenDays({ upkeep }: FleetReport, now: number): number | undefined {
  const endsAt = upkeep?.steam?.endsAt
  return endsAt === undefined ? undefined : Math.max(0, Math.floor((endsAt - now) / day))
}

/** Whether a release is older than another; a suffix such as `-beta` does not count. */
function isOlder(one: string, other: string): boolean {
  const [mine, others] = [one, other].map((text) => text.split(/[.-]/, 3).map(Number))
  const at = others?.findIndex((number, index) => number !== mine?.[index]) ?? -1
  return at >= 0 && (mine?.[at] ?? Number.NaN) < (others?.[at] ?? Number.NaN)
}
