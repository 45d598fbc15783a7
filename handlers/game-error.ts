/** How a game fails: one closed union, thrown by every bridge and mapped to HTTP in `problem.ts` alone. */
export type GameFailure =
  /** Not reachable, or it is there and turns farmgate away. */
  | {
      readonly kind: 'unavailable'
      readonly because?: 'key_refused' | 'rate_limited'
      /** Seconds that it asks to wait. */
      readonly retryAfter?: number
    }
  /** Reachable, but no world is loaded or a day is turning. */
  | { readonly kind: 'not_ready' }
  /** No answer in the call's budget; a write may or may not have happened. */
  | { readonly kind: 'timeout'; readonly write: boolean }
  /** It answered something that is not its API; `detail` is for the log only. A write may have happened. */
  | { readonly kind: 'bad_response'; readonly detail: string; readonly write?: boolean }
  /** This game cannot do it; `what` completes "This game server cannot …". */
  | { readonly kind: 'unsupported'; readonly what: string }
  | { readonly kind: 'farmhand_not_found'; readonly label: string }
  | {
      readonly kind: 'farmhand_online'
      readonly label: string
      /** What was to be done with it. */
      readonly change: 'delete' | 'rebind'
    }
  | { readonly kind: 'player_not_found'; readonly label: string }
  | { readonly kind: 'save_in_progress' }
  | { readonly kind: 'players_connected'; readonly count?: number }

export class GameError extends Error {
  override readonly name = 'GameError'
  readonly failure: GameFailure
  constructor(failure: GameFailure) {
    super(failure.kind)
    this.failure = failure
  }
}
