import { type AbilityName, abilities } from '../../handlers/game-abilities.ts'
import { brokenAfter, offlineAfter } from '../../handlers/game-bridge.ts'

/** Time limits, intervals and sizes of the bridge; tests use shorter ones. */
export interface Limits {
  /** The time budget of an ability in milliseconds, from the table of abilities. */
  readonly budgetOf: (ability: AbilityName) => number
  /** The time budget of a read of the game's health or status, in milliseconds. */
  readonly look: number
  /** Milliseconds for which an answer of a read is cached, counted from its request. */
  readonly keepFor: number
  /** Milliseconds without an answer after which the game is offline, for all calls at the same time. */
  readonly offlineAfter: number
  /** The same when its connections are refused or reset, counted from the first of them. */
  readonly brokenAfter: number
  /** Milliseconds between polls of health, status and players. */
  readonly pollEvery: number
  /** Cabins and rendering are read in every n-th poll only. */
  readonly slowPolls: number
  /** Milliseconds between pings of the chat socket, and until their pong must have come. */
  readonly pingEvery: number
  readonly pongWithin: number
  /** Milliseconds within which the chat socket must be open and authenticated. */
  readonly chatOpensWithin: number
  /** Milliseconds that an open chat socket must last before its back-off starts over and the log reports it as back. */
  readonly chatWellAfter: number
  /** Milliseconds of the back-off of the chat socket: first and maximum. */
  readonly backOffFrom: number
  readonly backOffTo: number
  /** The largest answer, and the largest screenshot, in bytes. */
  readonly answerBytes: number
  readonly screenshotBytes: number
}

export const defaultLimits: Limits = {
  budgetOf: (ability) => abilities[ability].budget,
  look: 2_000,
  // A little below `pollEvery`, so that every poll sends a request.
  keepFor: 900,
  offlineAfter,
  brokenAfter,
  pollEvery: 1_000,
  slowPolls: 5,
  pingEvery: 30_000,
  pongWithin: 10_000,
  chatOpensWithin: 10_000,
  chatWellAfter: 10_000,
  backOffFrom: 500,
  backOffTo: 30_000,
  answerBytes: 4 * 1024 * 1024,
  screenshotBytes: 32 * 1024 * 1024,
}
