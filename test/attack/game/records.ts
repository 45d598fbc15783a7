/** Records of a game with one wrong member. */
import { stringifyJson } from '../../../lib/json.ts'

/** JSON texts that replace a member's value; some make the whole answer invalid JSON. */
export const hostileValues: readonly string[] = [
  'null',
  'true',
  'false',
  '0',
  '-1',
  '-0',
  '1.5',
  '1e-7',
  '1e21',
  '1e308',
  '1e400',
  '-1e400',
  '2147483648',
  '9007199254740993',
  '9223372036854775807',
  '9223372036854775808',
  '1'.padEnd(400, '0'),
  'NaN',
  'Infinity',
  '-Infinity',
  'undefined',
  '0x10',
  '01',
  '.5',
  '1.',
  '""',
  '" "',
  '"x"',
  '"7"',
  '"NaN"',
  '"Infinity"',
  '"true"',
  '[]',
  '[null]',
  '[[]]',
  '[{}]',
  '["x"]',
  '[0]',
  '{}',
  '{"id":{}}',
  '{"__proto__":{"isOnline":true}}',
  '{"toString":1}',
  `${'['.repeat(5000)}${']'.repeat(5000)}`,
  `${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}`,
  `"${'x'.repeat(100_000)}"`,
  '"<script>alert(1)</script>"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\\u0000"',
  '"\\u202e"',
  '"\\r\\nX: y"',
  '"2026-11-21T12:00:00Z"',
  '"9999-12-31T23:59:59.9999999Z"',
  '"10000-01-01T00:00:00Z"',
  '"+275760-09-13T00:00:00Z"',
  '"0000-00-00T00:00:00Z"',
  '"2026-02-30T00:00:00Z"',
  '"2026-99-99T99:99:99Z"',
  '"2026-11-21T12:00:00+02:00"',
  '"2026-11-21"',
]

const placeholder = '@hostile@'

/** Every copy of a record in which one member is missing, or has the value. @param value undefined: missing */
export function* withMember(
  record: unknown,
  value: string | undefined,
): Generator<{ where: string; text: string }> {
  for (const path of pathsOf(record)) {
    const copy = stringifyJson(replaced(record, path, value === undefined ? undefined : placeholder))
    yield { where: path.join('.'), text: copy.replace(`"${placeholder}"`, () => value ?? '') }
  }
}

/** A third of all: with three neighbouring values of `from` everything. */
export const third = <T>(all: Iterable<T>, from: number): readonly T[] =>
  [...all].filter((_, at) => (at + from) % 3 === 0)

/** The path of every member, and of the first element of every array. */
function pathsOf(value: unknown): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return []
  const members = Object.entries(value).slice(0, Array.isArray(value) ? 1 : undefined)
  return members.flatMap(([name, member]) => [[name], ...pathsOf(member).map((rest) => [name, ...rest])])
}

function replaced(value: unknown, [name, ...rest]: readonly string[], member: unknown): unknown {
  if (name === undefined) return member
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value))
    return value.map((one, at) => (String(at) === name ? replaced(one, rest, member) : one))
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, key === name ? replaced(one, rest, member) : one]),
  )
}
