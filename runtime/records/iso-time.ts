/** @param time milliseconds since 1970 @returns ISO 8601 in UTC, with milliseconds */
export const isoTime = (time: number): string => new Date(time).toISOString()
