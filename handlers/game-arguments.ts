/**
 * Bounds of a game's arguments, in addition to their type. The endpoints check them; the farm's end of the link checks
 * those of chat and diagnostics.
 */
import { maxUnits } from './chat-line.ts'

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

/** HHMM. JunimoServer also accepts minutes 60 to 99; here they are rejected, because they are not a time of day. */
export const timeOfDay: NumberArgument = {
  ...anyTime,
  expected: 'a time of day from 600 to 2600 with minutes below 60',
  accepts: (value) => anyTime.accepts(value) && value % 100 < 60,
}

/** Frames per second. */
export const fps = whole(0, 240)

/**
 * A factor of the normal speed. At 1 a game minute takes 700 ms. It never takes less than 1 ms, so a factor above 1000
 * would have no effect.
 */
export const clockMultiplier = between(0.01, 1000)

/** Seconds. */
export const loginTimeout = whole(0, 2 ** 31 - 1)

const maxIdentity = 2n ** 64n - 1n

/** A Steam or GOG Galaxy account, decimal, as the game server's log shows it when a player connects. */
export const identity: Argument<string> = {
  expected: 'a decimal account id as in the connect log',
  accepts: (value) => /^[0-9]{1,20}$/.test(value) && BigInt(value) > 0n && BigInt(value) <= maxIdentity,
}

/** Control characters and line breaks, which `/ws` removes from client messages. */
const unprintable = /[\p{Cc}\u2028\u2029]/u

const text = (length: number): Argument<string> => ({
  expected: `1 to ${length} characters, none of them a control character or half a surrogate pair`,
  accepts: (value) =>
    value !== '' && value.length <= length && value.isWellFormed() && !unprintable.test(value),
})

/** The author and the text of one line in the game's chat box; lengths in UTF-16 units. */
export const chatAuthor = text(maxUnits.author)
export const chatMessage = text(maxUnits.line)

/** The query parameters of the game's diagnostic record. */
export const diagnosticsQuery = ['masterFlag', 'masterEvent', 'masterFriendKey'] as const
