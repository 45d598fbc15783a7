/**
 * What the arguments of a game's abilities may be, beyond their type. The HTTP endpoints and the farm's end of
 * the link judge by the same lines, so that both refuse the same values in the same words.
 */
import { longest } from './chat/chat-line.ts'

export interface Argument<T> {
  /** Completes "… must be ". */
  readonly expected: string
  accepts(value: T): boolean
}

export interface NumberArgument extends Argument<number> {
  readonly type: 'integer' | 'number'
  readonly minimum: number
  readonly maximum: number
}

/** A whole number from `minimum` to `maximum`. */
export const whole = (minimum: number, maximum: number): NumberArgument => ({
  type: 'integer',
  minimum,
  maximum,
  expected: `an integer from ${minimum} to ${maximum}`,
  accepts: (value) => Number.isInteger(value) && value >= minimum && value <= maximum,
})

/** A number from `minimum` to `maximum`. */
const between = (minimum: number, maximum: number): NumberArgument => ({
  type: 'number',
  minimum,
  maximum,
  expected: `a number from ${minimum} to ${maximum}`,
  accepts: (value) => value >= minimum && value <= maximum,
})

const anyTime = whole(600, 2600)

/** HHMM. The existing server takes minutes 60 to 99 too, but they are no time of day. */
export const timeOfDay: NumberArgument = {
  ...anyTime,
  expected: 'a time of day from 600 to 2600 with minutes below 60',
  accepts: (value) => anyTime.accepts(value) && value % 100 < 60,
}

/** Frames per second. */
export const fps = whole(0, 240)

/** Times the normal speed. A game minute takes 700 ms and at least one: faster than this changes nothing. */
export const clockMultiplier = between(0.01, 1000)

/** Seconds. */
export const loginTimeout = whole(0, 2 ** 31 - 1)

const largestIdentity = 2n ** 64n - 1n

/** An account of either platform, as the connect log shows it. */
export const identity: Argument<string> = {
  expected: 'a decimal account id as in the connect log',
  accepts: (value) => /^[0-9]{1,20}$/.test(value) && BigInt(value) > 0n && BigInt(value) <= largestIdentity,
}

const text = (length: number): Argument<string> => ({
  expected: `1 to ${length} characters`,
  accepts: (value) => value !== '' && value.length <= length,
})

/** One line of the game's chat box, and who says it; UTF-16 units. */
export const chatAuthor = text(longest.author)
export const chatMessage = text(longest.line)
