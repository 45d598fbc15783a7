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
 * The members that hold int64 ids, and the name of the member with its text, which is written right after the id.
 * Only this file adds the texts: records of bridges, of the link and of the game do not have them.
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

/** The name of the member with an id's text; undefined for a member that is no id. */
export const idTextOf = (member: string): string | undefined => idTexts.get(member)

/**
 * Compact JSON; bigints are written as numbers, undefined members are left out.
 * @throws {TypeError} for an object that contains itself; whatever a `toJSON` of the value throws
 */
export function stringifyJson(value: unknown): string {
  return JSON.stringify(value, exactNumber)
}

const exactNumber = (_key: string, member: unknown): unknown =>
  typeof member === 'bigint' ? exact.rawJSON(member.toString()) : member

/**
 * A record, an answer or an event as it is sent to clients: as `stringifyJson`, with the text of each id.
 * @example stringifyRecord({ id: 5n, name: 'Abby' }) // {"id":5,"idText":"5","name":"Abby"}
 */
export function stringifyRecord(record: unknown): string {
  return JSON.stringify(record, (key, member: unknown) => withIdTexts(exactNumber(key, member)))
}

/** An object with the texts of its ids added; any other value unchanged. */
function withIdTexts(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  if (!Object.keys(value).some((member) => idTexts.has(member))) return value
  const shown: Record<string, unknown> = {}
  for (const [member, id] of Object.entries(value)) {
    shown[member] = id
    const text = idTexts.get(member)
    if (text === undefined) continue
    // In a record that was parsed from JSON without a schema, ids below 2^53 are numbers.
    if (typeof id === 'bigint' || Number.isSafeInteger(id)) shown[text] = String(id)
    else if (Array.isArray(id)) shown[text] = id.map(String)
  }
  return shown
}

const integer = /^-?[0-9]+$/

/**
 * JSON text to a value; integers beyond 2^53 come back as bigint, all others as number.
 * @throws {SyntaxError} on malformed text
 */
export function parseJson(text: string): unknown {
  return exact.parse(text, (_key, value, context) =>
    typeof value === 'number' &&
    !Number.isSafeInteger(value) &&
    context.source !== undefined &&
    integer.test(context.source)
      ? BigInt(context.source)
      : value,
  )
}
