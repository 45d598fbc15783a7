import * as v from 'valibot'

/** Milliseconds since 1970; bounded, so that a reader can calculate with it. */
const time = v.pipe(v.number(), v.minValue(0), v.maxValue(Number.MAX_SAFE_INTEGER))

/** What the operator of a fleet watches at a farm, in addition to its game. */
export const farmUpkeep = v.object({
  /** Of farmgate. */
  version: v.pipe(v.string(), v.maxLength(64)),
  /** A night has lasted five minutes. */
  nightStuck: v.exactOptional(v.literal(true)),
  /** The game does not play the farm that it is expected to play. */
  wrongFarm: v.exactOptional(v.literal(true)),
  /** Missing where no backups are set up. */
  backups: v.exactOptional(
    v.object({
      /** When the last verified backup was made; missing while there is none. */
      lastAt: v.exactOptional(time),
      failing: v.exactOptional(v.literal(true)),
    }),
  ),
  /** Missing without a ticket service, or while it does not answer. */
  steam: v.exactOptional(
    v.object({
      signedOut: v.exactOptional(v.literal(true)),
      /** When the sign-in ends; missing while that is unknown. */
      endsAt: v.exactOptional(time),
    }),
  ),
})
export type FarmUpkeep = v.InferOutput<typeof farmUpkeep>
