const visibleAscii = /^[\x21-\x7e]{1,128}$/

/** A caller's own request id (`X-Request-Id`), when it is one. */
export const requestIdOf = (given: string | null | undefined): string | undefined =>
  typeof given === 'string' && visibleAscii.test(given) ? given : undefined
