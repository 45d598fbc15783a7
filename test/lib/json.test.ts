import * as fc from 'fast-check'
import * as v from 'valibot'
import { expect, onTestFinished, test, vi } from 'vitest'
import { int64, isInt64 } from '../../handlers/int64.ts'
import { idTextOf, parseJson, readJson, stringifyJson, stringifyRecord } from '../../lib/json.ts'
import { idTexts } from '../id-texts.ts'

const anyId = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })

test('an int64 is written as a JSON number with every digit and read back the same', () => {
  fc.assert(
    fc.property(anyId, (id) => {
      const text = stringifyJson({ id })
      expect(text).toBe(`{"id":${id}}`)
      expect(v.parse(v.object({ id: int64 }), parseJson(text))).toEqual({ id })
    }),
  )
})

test('integers up to 2^53 come back as number, larger ones as bigint', () => {
  expect(parseJson('[9007199254740991,9007199254740992,-9007199254740993,9223372036854775807]')).toEqual([
    9_007_199_254_740_991,
    9_007_199_254_740_992n,
    -9_007_199_254_740_993n,
    9_223_372_036_854_775_807n,
  ])
})

test('other numbers, and digits in texts, stay unchanged', () => {
  expect(parseJson('[1.5,1e300,-0.25,"9223372036854775807"]')).toEqual([
    1.5,
    1e300,
    -0.25,
    '9223372036854775807',
  ])
})

test('any JSON value is read and written unchanged', () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      expect(JSON.parse(stringifyJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
})

test('absent members are omitted and the text is compact', () => {
  expect(stringifyJson({ a: undefined, b: [1n, { c: 'ü🥕' }] })).toBe('{"b":[1,{"c":"ü🥕"}]}')
})

test('a record is written with the text of each id directly after the id, at any depth', () => {
  const owner = -(2n ** 60n)
  fc.assert(
    fc.property(anyId, (id) => {
      expect(stringifyRecord({ player: { id, name: 'A' }, cabins: [{ ownerId: owner }], version: 3n })).toBe(
        `{"player":{"id":${id},"idText":"${id}","name":"A"},` +
          `"cabins":[{"ownerId":${owner},"ownerIdText":"${owner}"}],"version":3}`,
      )
    }),
  )
  expect(stringifyRecord({ playerId: 1n, savedPositionPlayerIds: [5n, 2n ** 53n + 1n] })).toBe(
    '{"playerId":1,"playerIdText":"1","savedPositionPlayerIds":[5,9007199254740993],' +
      '"savedPositionPlayerIdTexts":["5","9007199254740993"]}',
  )
})

test('an id that was parsed as a number, because it is small, has its text like every other', () => {
  expect(stringifyRecord({ ownerId: 0, otherFarmerUids: [1, 2n ** 62n] })).toBe(
    '{"ownerId":0,"ownerIdText":"0","otherFarmerUids":[1,4611686018427387904],' +
      '"otherFarmerUidTexts":["1","4611686018427387904"]}',
  )
})

test('a list of ids without members has a list of texts without members', () => {
  expect(stringifyRecord({ savedPositionPlayerIds: [] })).toBe(
    '{"savedPositionPlayerIds":[],"savedPositionPlayerIdTexts":[]}',
  )
})

test('a member called id without an int64 gets no text', () => {
  for (const id of [5.5, 'five', null])
    expect(stringifyRecord({ payload: { id } })).toBe(stringifyJson({ payload: { id } }))
})

test('a list with the name of an id list and other contents gets no list of texts', () => {
  for (const members of [['{"toString":1}'], ['1', '"x"'], ['null'], ['1.5']]) {
    const text = `{"otherFarmerUids":[${members.join()}]}`
    expect(stringifyRecord(parseJson(text))).toBe(text)
  }
})

test('malformed text throws SyntaxError', () => {
  for (const text of ['', '{', '01', '[1,]', 'NaN']) expect(() => parseJson(text)).toThrow(SyntaxError)
})

const nested = (levels: number) => `${'['.repeat(levels)}1${']'.repeat(levels)}`
const wide = (values: number) => `[${'1,'.repeat(values - 2)}1]`

test.each([
  ['nested deeper than 64 levels', nested(65)],
  ['of 1.9 million nested brackets', nested(1_900_000)],
  ['of more than 100,000 values', wide(100_001)],
  ['of a million empty arrays', `[${'[],'.repeat(1_000_000)}1]`],
])('a text %s is malformed, and is not parsed', (_what, text) => {
  const parser = vi.spyOn(JSON, 'parse')
  onTestFinished(() => parser.mockRestore())
  expect(() => parseJson(text)).toThrow(SyntaxError)
  expect(readJson(text)).toBeUndefined()
  expect(parser).not.toHaveBeenCalled()
})

test('a text of 64 levels and 100,000 values is read, whatever brackets, commas and quotes its strings have', () => {
  expect(parseJson(nested(64))).toEqual(JSON.parse(nested(64)))
  expect(parseJson(wide(100_000))).toHaveLength(99_999)
  for (const string of [
    '['.repeat(100),
    ','.repeat(200_000),
    '\\',
    '\\\\"[',
    '"'.repeat(99),
    '\\"{'.repeat(99),
  ])
    expect(parseJson(JSON.stringify([string, { [string]: string }]))).toEqual([string, { [string]: string }])
})

test('an integer of more than 64 digits stays a number, because a bigint of millions of digits takes seconds', () => {
  expect(parseJson(`[${'9'.repeat(64)},${'9'.repeat(65)}]`)).toEqual([BigInt('9'.repeat(64)), 1e65])
})

test('a lone surrogate is read as U+FFFD, a pair as its character', () => {
  expect(parseJson('{"name":"A\\ud800","whole":"\\ud83e\\udd55","other":"\\\\ud800"}')).toEqual({
    name: 'A\ufffd',
    whole: '🥕',
    other: '\\ud800',
  })
})

test('any text is read as JSON.parse reads it, apart from ids and surrogates', () => {
  fc.assert(
    fc.property(fc.json({ noUnicodeString: false }), (text) => {
      const whole = JSON.parse(text, (_key, value: unknown) =>
        typeof value === 'string' ? value.toWellFormed() : value,
      )
      expect(JSON.stringify(whole)).toBe(stringifyJson(parseJson(text)))
    }),
  )
})

test('an int64 is from -2^63 to 2^63-1', () => {
  expect([-(2n ** 63n), 2n ** 63n - 1n, 0n].map(isInt64)).toEqual([true, true, true])
  expect([-(2n ** 63n) - 1n, 2n ** 63n].map(isInt64)).toEqual([false, false])
})

test('only members with an id have a member with its text', () => {
  for (const [member, text] of Object.entries(idTexts)) {
    expect(idTextOf(member)).toBe(text)
    expect(stringifyRecord({ [member]: 5n })).toBe(`{"${member}":5,"${text}":"5"}`)
  }
  expect(['name', 'version', 'toString'].map(idTextOf)).toEqual([undefined, undefined, undefined])
})

test('a record that is a list, a text or nothing is written as it is', () => {
  expect([[1n], 'id', 5n, true, null].map(stringifyRecord)).toEqual(['[1]', '"id"', '5', 'true', 'null'])
})
