/** Seconds; a longer `Retry-After` is shortened to this. */
const maxRetryAfter = 3600

/**
 * Reads `Retry-After` in seconds (RFC 9110 section 10.2.3). A date, the other form, is not used, because it depends on
 * the other server's clock.
 */
export const retryAfterOf = (header: string | undefined): number | undefined =>
  header !== undefined && /^[0-9]{1,9}$/.test(header) ? Math.min(maxRetryAfter, Number(header)) : undefined
