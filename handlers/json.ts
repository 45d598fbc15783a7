/** Exact JSON: int64 ids travel as bare numbers with every digit (contract section 2). */

/** What `JSON.rawJSON` and a reviver's third argument look like; TypeScript's library has no types for them yet. */
interface ExactJson {
  rawJSON(text: string): unknown
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown
}
const exact = JSON as unknown as ExactJson

/**
 * Compact JSON; bigints are written as numbers, undefined members are left out.
 * A value whose `toJSON` throws, or a cycle, throws `TypeError`.
 */
export function stringifyJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'bigint' ? exact.rawJSON(member.toString()) : member,
  )
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
