import * as v from 'valibot'
import { expect, test } from 'vitest'
import { collected } from '../../lib/foreign/collected.ts'
import { parseCommented, readCommented } from '../../lib/foreign/commented.ts'
import { checkForeign, listOf, mapOf, readForeign } from '../../lib/foreign/read.ts'
import { parseJson } from '../../lib/json.ts'

/** A schema that must not be reached. */
const untouched = v.pipe(
  v.unknown(),
  v.check(() => expect.fail('an item was looked at')),
)

test('a text is measured before it is parsed: its length, its depth and its number of values', () => {
  expect(() => parseJson('"long"', { units: 5 })).toThrow(/longer than 5/)
  expect(() => parseJson('[[[0]]]', { depth: 2 })).toThrow(/deeper than 2/)
  expect(() => parseJson('[0,0,0,0]', { values: 4 })).toThrow(/more than 4/)
  // The scan ends at the limit, and the parser does not see the mistake.
  expect(() => parseJson('[0,0,0,0,', { values: 4 })).toThrow(/more than 4/)
  expect(parseJson('[0,0,"\\",,,"]', { units: 20, depth: 1, values: 4 })).toEqual([0, 0, '",,,'])
})

test('a schema stops at the first of many mistakes', () => {
  const wrong = Array.from({ length: 50_000 }, () => 0)
  expect(checkForeign(v.array(v.string()), wrong).issues).toHaveLength(1)
  expect(readForeign(v.object({ all: v.array(v.string()) }), JSON.stringify({ all: wrong }))).toBeUndefined()
})

test('a list that is too long is refused before its items are looked at', () => {
  expect(readForeign(listOf(untouched, 2), '[1,2,3]')).toBeUndefined()
  expect(readForeign(mapOf(untouched, 1), '{"a":1,"b":2}')).toBeUndefined()
  expect(readForeign(listOf(v.number(), 3), '[1,2,3]')).toEqual([1, 2, 3])
  expect(readForeign(listOf(v.number(), 3), '{"length":1}')).toBeUndefined()
})

test('foreign names are members like others, also those that every object has', () => {
  const text = '{"__proto__":1,"constructor":2,"prototype":3}'
  expect([...(readForeign(mapOf(v.number(), 3), text) ?? [])]).toEqual([
    ['__proto__', 1],
    ['constructor', 2],
    ['prototype', 3],
  ])
})

test('what is missing, or is not JSON, is nothing', () => {
  for (const text of [undefined, '', '{', new Uint8Array([0xff])])
    expect(readForeign(v.unknown(), text)).toBe(undefined)
})

test('JSON with comments ends at its first mistake, and what follows is not parsed', () => {
  expect(parseCommented('{\n// a "comment\n"a": [1, 2,], /* [[[ */ }')).toEqual({ a: [1, 2] })
  expect(() => parseCommented('{\n"a" 1}')).toThrow(/^ColonExpected in line 2$/)
  // An open string ends at the line for the parser, and at the next quote for the scan.
  expect(readCommented(`"open\n[${'[],'.repeat(500_000)}`)).toBeUndefined()
  expect(() => parseCommented(`[// "\n${'0,'.repeat(20)}0]`, { values: 20 })).toThrow(/more than 20/)
  expect(() => parseCommented(`[/* " */${'0,'.repeat(20)}0]`, { values: 20 })).toThrow(/more than 20/)
})

test('the pieces of an answer are put together up to its limit', () => {
  const read = collected(100_000)
  for (let at = 0; at < 100_000; at += 1)
    if (!read.add(Uint8Array.of(at % 7))) expect.fail(`refused at ${at}`)
  expect(read.add(Uint8Array.of(1))).toBe(false)
  expect(read.whole()).toEqual(Uint8Array.from({ length: 100_000 }, (_, at) => at % 7))
})
