/** @param raw `rawHeaders` of a message: alternating names and values @returns each name, as it was sent, with its value */
export function* headerPairs(raw: readonly string[]): Generator<readonly [name: string, value: string]> {
  for (let at = 0; at < raw.length; at += 2) yield [raw[at] ?? '', raw[at + 1] ?? '']
}
