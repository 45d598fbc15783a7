/** Day and time of the game, as people write them. */

/** @example gameDay({ season: 'spring', day: 5, year: 2 }) // 'spring 5, year 2' */
export const gameDay = ({ season, day, year }: { season: string; day: number; year: number }): string =>
  season === '' ? '' : `${season} ${day}, year ${year}`

/** @example clockTime(2530) // '1:30' */
export const clockTime = (timeOfDay: number): string =>
  `${Math.floor(timeOfDay / 100) % 24}:${String(timeOfDay % 100).padStart(2, '0')}`

/** The local time of day of a timestamp, hours and minutes. */
export function wallTime(timestamp: string): string {
  const time = new Date(timestamp)
  if (Number.isNaN(time.getTime())) return '--:--'
  return [time.getHours(), time.getMinutes()].map((part) => String(part).padStart(2, '0')).join(':')
}
