/** A bucket of tokens: its size, and how many are added in so many milliseconds. */
export interface TokenBucket {
  readonly atOnce: number
  readonly added: number
  readonly per: number
}

/** @returns the tokens after a time; a clock that ran backwards adds none and takes none */
export const tokensAfter = (
  { atOnce, added, per }: TokenBucket,
  tokens: number,
  milliseconds: number,
): number => Math.min(atOnce, tokens + (Math.max(0, milliseconds) * added) / per)
