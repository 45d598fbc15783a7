/** The outages of a farm, and the share of a time without one. Pure; times are milliseconds since 1970. */
import type { CauseCode } from './cause.ts'

export const outageParts = ['game', 'farmgate'] as const

export interface Outage {
  readonly of: (typeof outageParts)[number]
  readonly from: number
  /** Undefined while it lasts. */
  readonly to?: number
  /** Of the game. */
  readonly cause?: CauseCode
}

/** Causes with which the game can be played all the same, by some at least. */
const playable: ReadonlySet<CauseCode> = new Set(['disk', 'ticket_service', 'clock'])
/** Whether the game cannot be played at all. */
export const isOutage = (cause: CauseCode): boolean => !playable.has(cause)

/** The share of a time without an outage, 0 to 1; outages that overlap count once. */
export function shareWithout(outages: readonly Outage[], from: number, to: number): number {
  if (to <= from) return 1
  let [out, counted] = [0, from]
  for (const outage of outages.toSorted((one, other) => one.from - other.from)) {
    const begin = Math.max(counted, outage.from)
    const end = Math.min(to, outage.to ?? to)
    if (end <= begin) continue
    out += end - begin
    counted = end
  }
  return 1 - out / (to - from)
}
