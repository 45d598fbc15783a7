/** The common times of schedules, as cron expressions. */

/** Whole parts of a day, so that the hours are the same every day. */
export const wholeHours: readonly number[] = [1, 2, 3, 4, 6, 8, 12]

/** @param hours one of `wholeHours` */
export const everyHours = (hours: number): string => `0 */${hours} * * *`

export const daily = (hour: number, minute: number): string => `${minute} ${hour} * * *`
