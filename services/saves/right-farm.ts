/**
 * Whether the game plays the farm that it is expected to play (docs/backups.md, "The right farm"). Pure:
 * `watch-right-farm.ts` looks at the game. Days are those of the game, so no clock matters.
 */
import * as v from 'valibot'
import { dayNumber, gameDay } from '../../handlers/backup-record.ts'
import type { ExpectedFarm, FarmMark, UnexpectedFarm } from '../../handlers/expected-farm.ts'
import { isoTime } from '../../handlers/iso-time.ts'

/** Maximum of allowed farms; the oldest one is forgotten. */
const mostAllowed = 20

export const allow = (kept: ExpectedFarm, mark: FarmMark): ExpectedFarm => ({
  ...kept,
  allowed: [...kept.allowed, mark].slice(-mostAllowed),
})

/** Someone has decided which farm is right. */
export const decide = ({ allowed }: Pick<ExpectedFarm, 'allowed'>, expected: FarmMark): ExpectedFarm => ({
  expected,
  allowed,
})

/**
 * The game plays a farm.
 * @param found with a number only where a save of that day was read
 * @param loadedFrom the farm and day that it played before it loaded this one, where it has loaded one
 * @param now milliseconds since 1970
 */
export function play(
  kept: ExpectedFarm,
  found: FarmMark,
  loadedFrom: FarmMark | undefined,
  now: number,
): ExpectedFarm {
  const { expected, unexpected, allowed } = kept
  const isRead = found.number !== undefined
  if (expected === undefined) return decide(kept, isRead ? found : { name: found.name })
  const daysLost = daysBetween(found, expected) ?? 0
  // A farm that was just made has the name in the settings, mostly that of the expected one, and no save before its first night.
  const isNew = !isRead && daysLost > 0 && daysBetween(firstDay, found) === 0
  const isOther = isNew || !isSameFarm(expected, found)
  const isEarlier = !isOther && daysLost > 0
  if (isOther || isEarlier) {
    const chosen = allowed.find((one) => isAllowed(one, found))
    if (chosen !== undefined) return decide({ allowed: allowed.filter((one) => one !== chosen) }, found)
    return alarm(kept, isOther ? 'other_farm' : 'earlier_day', found, now)
  }
  // The days that are played after an earlier one reach the expected day too, and are not the lost ones.
  const isBack = loadedFrom !== undefined && unexpected && daysBetween(loadedFrom, unexpected.found) === 0
  if (unexpected?.kind === 'earlier_day' && isBack !== true) return kept
  const later = isRead ? { ...expected, ...found } : expected
  return unexpected?.kind === 'pointer' ? { ...kept, expected: later } : decide(kept, later)
}

/** Notes what is wrong; the same trouble with the same farm keeps its `since`. @param now milliseconds since 1970 */
export function alarm(
  kept: ExpectedFarm,
  kind: UnexpectedFarm['kind'],
  found: FarmMark,
  now: number,
): ExpectedFarm {
  const { expected, unexpected: before } = kept
  if (expected === undefined) return kept
  if (before?.kind !== kind || !isSameFarm(before.found, found))
    return { ...kept, unexpected: { kind, expected, found, since: isoTime(now) } }
  return { ...kept, unexpected: { ...before, found: { ...found, ...before.found } } }
}

/** A save that was renamed still has its number. */
export const isSameFarm = (one: FarmMark, other: FarmMark): boolean =>
  one.number === undefined || other.number === undefined
    ? one.name === other.name
    : one.number === other.number

const isAllowed = (allowed: FarmMark, found: FarmMark): boolean =>
  isSameFarm(allowed, found) && (daysBetween(allowed, found) ?? 0) === 0

const firstDay = { name: '', season: 'spring', day: 1, year: 1 } as const

/** @returns undefined where a day is not known */
function daysBetween(one: FarmMark, other: FarmMark): number | undefined {
  const [from, to] = [one, other].map((mark) => v.safeParse(gameDay, mark))
  return from?.success && to?.success ? dayNumber(to.output) - dayNumber(from.output) : undefined
}
