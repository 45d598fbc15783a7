const visibleAscii = /^[\x21-\x7e]{1,128}$/

/** @param given the request's `X-Request-Id` @returns it when it is 1 to 128 visible ASCII characters, else undefined */
export const requestIdOf = (given: string | null | undefined): string | undefined =>
  typeof given === 'string' && visibleAscii.test(given) ? given : undefined
