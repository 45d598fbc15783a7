/** Bodies that Discord never sends; each is sent with a valid signature. */

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
const most = 64 * 1024

/** None of them is an interaction: 400. */
export const noInteractions: readonly (readonly [what: string, body: string])[] = [
  ['nothing', ''],
  ['a blank', ' '],
  ['null', 'null'],
  ['a number', '1'],
  ['a text', '"1"'],
  ['an array', '[{"type":1}]'],
  ['no type', '{}'],
  ['the type in another case', '{"Type":1}'],
  ['the type of a prototype', '{"__proto__":{"type":1}}'],
  ['the type as text', '{"type":"1"}'],
  ['the type in a list', '{"type":[1]}'],
  ['a type that is not a number', '{"type":NaN}'],
  ['a type of 0', '{"type":0}'],
  ['a negative type', '{"type":-1}'],
  ['a type of 400 digits', `{"type":${'1'.repeat(400)}}`],
  ['a type between two', '{"type":1.5}'],
  ['a command without members', '{"type":2}'],
  ['two interactions', '{"type":1}{"type":1}'],
  ['an interaction that is cut off', '{"type":1'],
  ['an interaction with a comma too many', '{"type":1,}'],
  ['an interaction with a byte order mark twice', '\uFEFF\uFEFF{"type":1}'],
  ['30,000 nested arrays', nested(30_000)],
  ['arrays that are not closed, as large as a body may be', '['.repeat(most)],
  ['objects that are not closed', '{"a":'.repeat(13_000)],
  ['a PING with arrays nested 65 deep', `{"type":1,"x":${nested(64)}}`],
  ['NULs', '\0'.repeat(most)],
  ['a form', 'type=1'],
]

/** Each is still a PING. */
export const oddPings: readonly (readonly [what: string, body: string])[] = [
  ['blanks around it', ' \r\n\t{"type":1} '],
  ['its type as a fraction', '{"type":1.0}'],
  ['its type with an exponent', '{"type":10e-1}'],
  ['its type last of two', '{"type":2,"type":1}'],
  ['its name escaped', '{"\\u0074ype":1}'],
  ['arrays nested 64 deep', `{"type":1,"x":${nested(63)}}`],
  ['members of a prototype', '{"type":1,"__proto__":{"type":2},"constructor":1}'],
  ['as many bytes as a body may have', `{"type":1,"x":"${'x'.repeat(most - 17)}"}`],
  ['wrong types in all other members', '{"type":1,"id":[],"token":{},"data":7,"member":"x","guild_id":-1}'],
]
