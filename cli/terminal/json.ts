/** JSON as the API writes it: each id as a number with every digit, and beside it its text. */

/** TypeScript's library does not have the type of `JSON.rawJSON` yet. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }

/** @example exactJson({ id: 5n }) // {"id":5,"idText":"5"} */
export const exactJson = (value: unknown, indent?: number): string =>
  JSON.stringify(
    value,
    (_name, member: unknown) =>
      typeof member === 'bigint' ? rawJSON(String(member)) : isRecord(member) ? withTexts(member) : member,
    indent,
  )

const isRecord = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The client leaves the texts of ids out, because it gives the ids as bigints. */
function withTexts(record: object): object {
  const members = Object.entries(record)
  if (!members.some(([, value]) => isId(value))) return record
  return Object.fromEntries(
    members.flatMap(([name, value]) => {
      if (typeof value === 'bigint')
        return [
          [name, value],
          [`${name}Text`, String(value)],
        ]
      if (isIds(value))
        return [
          [name, value],
          [name.replace(/s?$/, 'Texts'), value.map(String)],
        ]
      return [[name, value]]
    }),
  )
}

const isIds = (value: unknown): value is bigint[] =>
  Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'bigint')
const isId = (value: unknown) => typeof value === 'bigint' || isIds(value)
