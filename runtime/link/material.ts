import type { Status } from '../../handlers/game-records.ts'

/** Members of a status that time alone changes. */
const clock: ReadonlySet<string> = new Set(['timeOfDay', 'lastUpdated', 'version', 'tps'])

/** Whether more than the clock went on between two statuses. */
export function isMaterial(before: Status, after: Status): boolean {
  const members = new Set([...Object.keys(before), ...Object.keys(after)]) as Set<keyof Status>
  return [...members].some((member) => !clock.has(member) && before[member] !== after[member])
}
