const zoned =
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})$/

/** @returns milliseconds since 1970; undefined for a text that is not a time in ISO 8601 with its zone */
export function timeOf(text: string): number | undefined {
  // biome-ignore lint/style/noRestrictedGlobals: reads a text, not a clock
  const at = zoned.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? undefined : at
}

/** @param time milliseconds since 1970 @returns ISO 8601 in UTC, with milliseconds */
// biome-ignore lint/style/noRestrictedGlobals: writes a time, reads no clock
export const isoTime = (time: number): string => new Date(time).toISOString()
