/**
 * The greatest number that a chat line can have at this time. Numbers begin at the time in microseconds since 1970, and
 * the two ends of a link can set each other's ahead: a clock may be wrong by a day, anything above is made up.
 * @param now milliseconds since 1970
 */
export const maxLineNumber = (now: number): number => (now + 86_400_000) * 1000
