/**
 * JSON without loss of digits: int64 ids are written as numbers with every digit, and each is followed by its text
 * (`id`, `idText`), for programs that read numbers as doubles.
 */

/** The types of `JSON.rawJSON` and of a reviver's third argument, which TypeScript's library does not have yet. */
interface ExactJson {
  rawJSON(text: string): unknown
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown
}
const exact = JSON as unknown as ExactJson

/**
 * The members that hold int64 ids, and the name of the member with its text, which is written right after the id. Only
 * this file adds the texts: records of bridges, of the link and of the game do not have them.
 */
const idTexts: ReadonlyMap<string, string> = new Map([
  ['id', 'idText'],
  ['ownerId', 'ownerIdText'],
  ['playerId', 'playerIdText'],
  ['savedPositionPlayerIds', 'savedPositionPlayerIdTexts'],
  // Of `/diagnostics/state`, whose record the game server makes.
  ['otherFarmerUids', 'otherFarmerUidTexts'],
  ['disconnectingFarmers', 'disconnectingFarmerTexts'],
  ['farmhandReferenceUid', 'farmhandReferenceUidText'],
  ['uniqueMultiplayerId', 'uniqueMultiplayerIdText'],
])

/** The name of the member with an id's text; undefined for any other member. */
export const idTextOf = (member: string): string | undefined => idTexts.get(member)

/**
 * Compact JSON; bigints are written as numbers, undefined members are omitted.
 * @throws {TypeError} for an object that contains itself; any error of a `toJSON` of the value
 */
export function stringifyJson(value: unknown): string {
  return JSON.stringify(value, exactNumber)
}

const exactNumber = (_key: string, member: unknown): unknown =>
  typeof member === 'bigint' ? exact.rawJSON(member.toString()) : member

const utf8 = new TextEncoder()
/** Bytes of a text in UTF-8. */
export const utf8Length = (text: string): number => utf8.encode(text).byteLength

/**
 * A record, an answer or an event as clients get it: as `stringifyJson`, with the text of each id.
 * @example stringifyRecord({ id: 5n, name: 'Abby' }) // {"id":5,"idText":"5","name":"Abby"}
 */
export function stringifyRecord(record: unknown, indent?: number): string {
  return JSON.stringify(record, (key, member: unknown) => withIdTexts(exactNumber(key, member)), indent)
}

/** In a record that was parsed from JSON without a schema, ids below 2^53 are numbers. */
const isId = (value: unknown) => typeof value === 'bigint' || Number.isSafeInteger(value)

/** An object with the texts of its ids added; any other value unchanged. */
function withIdTexts(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  if (!Object.keys(value).some((member) => idTexts.has(member))) return value
  const shown: Record<string, unknown> = {}
  for (const [member, id] of Object.entries(value)) {
    shown[member] = id
    const text = idTexts.get(member)
    if (text === undefined) continue
    if (isId(id)) shown[text] = String(id)
    // A record of the game without a schema may contain anything, also objects that have no text.
    else if (Array.isArray(id) && id.every(isId)) shown[text] = id.map(String)
  }
  return shown
}

/** How large a text of another program may be. */
export interface JsonLimits {
  /** UTF-16 units; at most as many as the bytes of the text. */
  readonly units?: number
  /** Nesting of arrays and objects. The usual maximum is that of .NET's own reader (and so JunimoServer). */
  readonly depth?: number
  /** Values in the text; a farm with hundreds of players and cabins has some thousands. */
  readonly values?: number
}
const usual = { units: Number.POSITIVE_INFINITY, depth: 64, values: 100_000 } as const

const quote = 0x22
const comma = 0x2c
const slash = 0x2f
const backslash = 0x5c
const openings = { bracket: 0x5b, brace: 0x7b } as const
const closings = { bracket: 0x5d, brace: 0x7d } as const

/**
 * Counts brackets and commas before parsing, because a few megabytes of brackets alone would take a second of
 * processor time and hundreds of megabytes to parse. It counts right up to the first mistake in the text, at which a
 * parser must stop, and counts an empty array or object as two values. Comments are skipped.
 * @throws {SyntaxError} when the text is too long, nested too deep, or has too many values
 */
export function checkJsonSize(text: string, limits: JsonLimits = usual): void {
  const most = { ...usual, ...limits }
  if (text.length > most.units) throw new SyntaxError(`JSON is longer than ${most.units} characters`)
  let depth = 0
  let values = 1
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case quote:
        at = endOfString(text, at)
        break
      case slash:
        at = endOfComment(text, at)
        break
      case comma:
        values += 1
        break
      case openings.bracket:
      case openings.brace:
        depth += 1
        values += 1
        break
      case closings.bracket:
      case closings.brace:
        depth -= 1
    }
    if (depth > most.depth) throw new SyntaxError(`JSON is nested deeper than ${most.depth} levels`)
    if (values > most.values) throw new SyntaxError(`JSON has more than ${most.values} values`)
  }
}

const lineBreak = /[\r\n]/g
const orEnd = (text: string, found: number, more = 0) => (found < 0 ? text.length : found + more)

/** @param at where a slash is @returns the last unit of a comment that begins there, otherwise `at` */
function endOfComment(text: string, at: number): number {
  const kind = text[at + 1]
  if (kind === '*') return orEnd(text, text.indexOf('*/', at + 2), 1)
  if (kind !== '/') return at
  lineBreak.lastIndex = at
  return orEnd(text, lineBreak.exec(text)?.index ?? -1)
}

/** @param at where the string begins @returns where its closing quote is, or the length of the text without one */
function endOfString(text: string, at: number): number {
  let end = text.indexOf('"', at + 1)
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end < 0 ? text.length : end
}

/** Whether an odd number of backslashes stands before a character of a string. */
function isEscaped(text: string, at: number): boolean {
  let first = at
  while (text.charCodeAt(first - 1) === backslash) first -= 1
  return (at - first) % 2 === 1
}

/**
 * Integers that may be beyond 2^53, but no longer than any that a game writes: converting takes longer with each
 * digit.
 */
const longInteger = /^-?[0-9]{16,64}$/
/** In a text without any of these, every number is exact as a double and every string is well-formed. */
const longIntegerOrSurrogate = /[0-9]{16}|\\u[dD][89a-fA-F]/

/**
 * JSON text to a value, for texts of other programs; `lib/foreign/read.ts` also compares it with a schema. Integers
 * beyond 2^53 come back as bigint, all others as number. A lone surrogate, which many programs reject, comes back as
 * U+FFFD.
 * @throws {SyntaxError} on a text that is malformed or beyond a limit: 64 levels and 100,000 values unless given
 */
export function parseJson(text: string, limits?: JsonLimits): unknown {
  checkJsonSize(text, limits)
  return longIntegerOrSurrogate.test(text) ? exact.parse(text, exactValue) : JSON.parse(text)
}

function exactValue(_key: string, value: unknown, { source }: { readonly source?: string }): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  const isLong = typeof value === 'number' && !Number.isSafeInteger(value)
  return isLong && source !== undefined && longInteger.test(source) ? BigInt(source) : value
}

/** As `parseJson`. @returns undefined for a text that it throws on */
export function readJson(text: string, limits?: JsonLimits): unknown {
  try {
    return parseJson(text, limits)
  } catch {
    return undefined
  }
}
