/** Anything that allows something until an end: a key, a session, an invitation, a link. */
interface Grant {
  /** Milliseconds since 1970; undefined where it does not expire. */
  readonly expiresAt?: number | undefined
}

/** The one place that compares an end with the time. @param at milliseconds since 1970, of the process that judges */
export const hasEnded = ({ expiresAt }: Grant, at: number): boolean =>
  expiresAt !== undefined && at >= expiresAt
