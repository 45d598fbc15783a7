import { number, texts } from '../../texts/texts.ts'
import type { GameDay } from './calendar-days.ts'

/** A day of the game as text. */
export const dateOf = ({ season, day, year }: GameDay): string =>
  texts.value.date(texts.value.seasons[season], number(day), number(year))
