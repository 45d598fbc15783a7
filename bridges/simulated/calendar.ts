/** The game's calendar: ten-minute steps from 600 to 2600, four seasons of 28 days, and its festivals. */
import type { Season } from '../../handlers/game-records.ts'

export type Month = Exclude<Season, ''>
export interface FarmDate {
  readonly day: number
  readonly season: Month
  readonly year: number
}

const seasons: readonly Month[] = ['spring', 'summer', 'fall', 'winter']
const daysInSeason = 28

export const morning = 600
/** 2 AM: the game ends the day. */
export const dayEnd = 2600

export const firstDay: FarmDate = { day: 1, season: 'spring', year: 1 }

/** The next ten-minute step, as HHMM; at most `dayEnd`. */
export function tenMinutesLater(timeOfDay: number): number {
  const minutes = Math.floor(timeOfDay / 100) * 60 + (timeOfDay % 100)
  const later = (Math.floor(minutes / 10) + 1) * 10
  return Math.min(dayEnd, Math.floor(later / 60) * 100 + (later % 60))
}

export function tomorrow({ day, season, year }: FarmDate): FarmDate {
  if (day < daysInSeason) return { day: day + 1, season, year }
  const next = seasons[seasons.indexOf(season) + 1]
  return next === undefined ? { day: 1, season: 'spring', year: year + 1 } : { day: 1, season: next, year }
}

/** Days since the farm began, beginning with 1. */
export const daysPlayed = ({ day, season, year }: FarmDate): number =>
  ((year - 1) * seasons.length + seasons.indexOf(season)) * daysInSeason + day

const festivals: Readonly<Record<Month, readonly number[]>> = {
  spring: [13, 24],
  summer: [11, 28],
  fall: [16, 27],
  winter: [8, 25],
}

/** Egg Festival, Flower Dance, Luau, Jellies, Fair, Spirit's Eve, Festival of Ice, Feast of the Winter Star. */
export const isFestival = ({ day, season }: FarmDate): boolean => festivals[season].includes(day)
