/** Days of the game's calendar: four seasons of 28 days; day 1 of each is a Monday. */
import type { Backup } from '../../client/index.ts'
import { number, texts } from '../texts/texts.ts'

export type GameDay = Pick<Backup, 'season' | 'day' | 'year'>

export const seasons = ['spring', 'summer', 'fall', 'winter'] as const
export const daysOfSeason = 28

/** Counts seasons from spring of year 1, which is 0. */
export const seasonNumber = ({ season, year }: Omit<GameDay, 'day'>): number =>
  (year - 1) * seasons.length + seasons.indexOf(season)

export const seasonAt = (number: number): Omit<GameDay, 'day'> => ({
  season: seasons[number % seasons.length] ?? 'spring',
  year: Math.floor(number / seasons.length) + 1,
})

/** Counts days from the first of spring of year 1, which is 1. */
export const dayNumber = (day: GameDay): number => seasonNumber(day) * daysOfSeason + day.day

/** A day as text. */
export const dateOf = ({ season, day, year }: GameDay): string =>
  texts.value.date(texts.value.seasons[season], number(day), number(year))
