import { number, words } from '../../words/words.ts'
import type { GameDay } from './calendar-days.ts'

/** A day of the game as text. */
export const dateOf = ({ season, day, year }: GameDay): string =>
  words.value.date(words.value.seasons[season], number(day), number(year))
