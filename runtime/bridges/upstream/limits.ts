import { type AbilityName, abilities } from '../../../handlers/game-abilities.ts'
import { awayAfter } from '../../../handlers/game-bridge.ts'

/** How long and how much, with the contract's values; tests use shorter ones. */
export interface Limits {
  /** Milliseconds that a call may take: what the table of abilities says. */
  readonly budgetOf: (ability: AbilityName) => number
  /** Milliseconds that a look at the game's health or status may take. */
  readonly look: number
  /** Milliseconds for which a read's answer is served again, counted from the question. */
  readonly keepFor: number
  /** Milliseconds without an answer after which the game is away. */
  readonly awayAfter: number
  /** Milliseconds without an answer after which the game counts as unreachable. */
  readonly availableFor: number
  /** Milliseconds between looks at what changes often: health, status, players. */
  readonly pollEvery: number
  /** Every how many looks the rest is looked at too: cabins, rendering. */
  readonly slowPolls: number
  /** Milliseconds between chat pings, and for their answer. */
  readonly pingEvery: number
  readonly pongWithin: number
  /** Milliseconds from opening the chat socket to being let in. */
  readonly chatOpensWithin: number
  /** Milliseconds between attempts to reach the chat: the first and the longest. */
  readonly backOffFrom: number
  readonly backOffTo: number
  /** Bytes of an answer, and of a screenshot. */
  readonly answerBytes: number
  readonly screenshotBytes: number
}

export const contractLimits: Limits = {
  budgetOf: (ability) => abilities[ability].budget,
  look: 2_000,
  // A little under the second that the contract allows, so that a look every second always sees anew.
  keepFor: 900,
  awayAfter,
  availableFor: 3_500,
  pollEvery: 1_000,
  slowPolls: 5,
  pingEvery: 30_000,
  pongWithin: 10_000,
  chatOpensWithin: 10_000,
  backOffFrom: 500,
  backOffTo: 30_000,
  answerBytes: 4 * 1024 * 1024,
  screenshotBytes: 32 * 1024 * 1024,
}
