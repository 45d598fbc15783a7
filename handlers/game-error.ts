/** How a game fails: one closed union, thrown by every bridge and mapped to HTTP in `problem.ts` alone. */
import * as v from 'valibot'

const label = v.string()

/** A failure as a schema: it crosses the link from the farm to the edge and loses nothing there. */
export const gameFailure = v.variant('kind', [
  /** Not reachable, or it is there and turns farmgate away: the call was not made. */
  v.object({
    kind: v.literal('unavailable'),
    because: v.exactOptional(v.picklist(['key_refused', 'rate_limited'])),
    /** Seconds that it asks to wait. */
    retryAfter: v.exactOptional(v.number()),
  }),
  /** Reachable, but no world is loaded or a day is turning. */
  v.object({ kind: v.literal('not_ready') }),
  /**
   * No answer: the call's budget is over, or a write was sent and the connection was lost before its answer.
   * A write may or may not have happened.
   */
  v.object({ kind: v.literal('timeout'), write: v.boolean() }),
  /** It answered something that is not its API; `detail` is for the log only. A write may have happened. */
  v.object({ kind: v.literal('bad_response'), detail: v.string(), write: v.exactOptional(v.boolean()) }),
  /** An argument is not what the ability takes, in a sentence for the caller; nothing was done. */
  v.object({ kind: v.literal('invalid_argument'), sentence: v.string() }),
  /** This game cannot do it; `what` completes "This game server cannot …". */
  v.object({ kind: v.literal('unsupported'), what: v.string() }),
  v.object({ kind: v.literal('farmhand_not_found'), label }),
  v.object({
    kind: v.literal('farmhand_online'),
    label,
    /** What was to be done with it. */
    change: v.picklist(['delete', 'rebind']),
  }),
  v.object({ kind: v.literal('player_not_found'), label }),
  v.object({ kind: v.literal('save_in_progress') }),
  v.object({ kind: v.literal('players_connected'), count: v.exactOptional(v.number()) }),
])

export type GameFailure = Readonly<v.InferOutput<typeof gameFailure>>

export class GameError extends Error {
  override readonly name = 'GameError'
  readonly failure: GameFailure
  constructor(failure: GameFailure) {
    super(failure.kind)
    this.failure = failure
  }
}

/**
 * How a call ends whose answer is lost, by whatever cause: a read was for nothing, and of a write nobody
 * can say whether it was made.
 */
export const lostAnswer = (effect: 'read' | 'write'): GameFailure =>
  effect === 'write' ? { kind: 'timeout', write: true } : { kind: 'unavailable' }
