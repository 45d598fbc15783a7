import { number, words } from '../../words/words.ts'
import type { GameDay } from './calendar-days.ts'

/** A day of the game in words. */
export const dateOf = ({ season, day, year }: GameDay): string =>
  words.value.date(words.value.seasons[season], number(day), number(year))
