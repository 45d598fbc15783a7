/**
 * JSON with 64-bit ids. The server writes each id as a number and also as a text with every digit (`id`, `idText`), so
 * any JSON parser works: the number may be rounded, the text replaces it.
 */

const digits = /^-?[0-9]+$/

/**
 * Parses an answer of the server: ids are bigints, and the members with their texts are removed.
 * @throws {SyntaxError} on malformed text
 * @example parse('{"id":6208260877024290921,"idText":"6208260877024290921"}') // { id: 6208260877024290921n }
 */
export function parse(text: string): unknown {
  return JSON.parse(text, (_key, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) ? withIds(value) : value,
  )
}

/** As `parse`. @returns undefined for a text that is not JSON */
export function parseIfJson(text: string): unknown {
  try {
    return parse(text)
  } catch {
    return undefined
  }
}

function withIds(record: object): object {
  const read = record as Record<string, unknown>
  for (const [name, text] of Object.entries(read)) {
    const id = name.replace(/Text(s?)$/, '$1')
    if (id === name || !(id in read)) continue
    const value = typeof text === 'string' ? idOf(text) : Array.isArray(text) ? text.map(idOf) : undefined
    if (value === undefined || (Array.isArray(value) && value.includes(undefined))) continue
    read[id] = value
    delete read[name]
  }
  return read
}

const idOf = (text: unknown): bigint | undefined =>
  typeof text === 'string' && digits.test(text) ? BigInt(text) : undefined
