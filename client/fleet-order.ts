import type { FleetEntry, FleetTrouble } from './types.ts'

const worstFirst: Readonly<Record<FleetTrouble, number>> = {
  offline: 0,
  never_linked: 1,
  game_offline: 2,
  night_stuck: 3,
  signed_out: 4,
  records_failing: 5,
  backup_failing: 6,
  backup_old: 7,
  token_expiring: 8,
  version_old: 9,
}

/** A code of a later edge comes after all known ones, and a farm without trouble last. */
const rankOf = ({ trouble: [worst] }: FleetEntry): number =>
  worst === undefined ? Number.POSITIVE_INFINITY : (worstFirst[worst] ?? 10)

/** Farms with the worst trouble first; of equal ones the order stays. */
export const byTrouble = (farms: readonly FleetEntry[]): FleetEntry[] =>
  farms.toSorted((one, other) => {
    const [mine, others] = [rankOf(one), rankOf(other)]
    return mine === others ? 0 : mine - others
  })
