import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isoTime, timeOf } from '../../handlers/iso-time.ts'
import {
  before,
  boolean,
  integer,
  optional,
  pageLimit,
  pageOf,
  playerId,
  readExactQuery,
  readParameters,
  sentQuery,
  shortText,
  text,
  time,
} from '../../handlers/parameter.ts'
import { Problem } from '../../handlers/problem.ts'

const words = { description: 'of a test', example: '15' }
const fps = integer(0, 240, words)
const read = (search: string) => readParameters({ fps }, sentQuery(search))

const problemOf = (work: () => unknown): Problem => {
  try {
    work()
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
  return expect.fail('no problem')
}

describe('readParameters', () => {
  test('reads parameters with names in any case, and decodes + and %XX', () => {
    expect(read('fps=15')).toEqual({ fps: 15 })
    expect(read('FPS=15&other=%zz&&')).toEqual({ fps: 15 })
    expect(read('f%70s=%31%35')).toEqual({ fps: 15 })
    expect(readParameters({ name: text(words) }, sentQuery('name=a+b%2Bc%20%F0%9F%A5%95'))).toEqual({
      name: 'a b+c 🥕',
    })
  })

  test.each([
    ['', "Missing 'fps' query parameter (e.g. 15)"],
    ['other=1', "Missing 'fps' query parameter (e.g. 15)"],
    ['fps', "Parameter 'fps' is empty"],
    ['fps=', "Parameter 'fps' is empty"],
    ['fps=1&FPS=1', "Parameter 'fps' is given more than once"],
    ['fps=%zz', "Parameter 'fps' is not valid percent-encoded UTF-8"],
    ['fps=+1', "Parameter 'fps' must be an integer from 0 to 240"],
    ['fps=241', "Parameter 'fps' must be an integer from 0 to 240"],
    ['fps=9'.padEnd(400, '9'), "Parameter 'fps' must be an integer from 0 to 240"],
  ])('%j is invalid_parameter: %s', (search, sentence) => {
    const problem = problemOf(() => read(search))
    expect([problem.code, problem.status, problem.details.parameter, problem.message]).toEqual([
      'invalid_parameter',
      400,
      'fps',
      sentence,
    ])
  })

  test('an optional parameter may be left out, but not be wrong', () => {
    expect(readParameters({ fps: optional(fps) }, sentQuery(''))).toEqual({})
    expect(problemOf(() => readParameters({ fps: optional(fps) }, sentQuery('fps=x'))).code).toBe(
      'invalid_parameter',
    )
  })

  test('a missing required parameter without an example is reported by its name', () => {
    const named = { fps: integer(0, 240, { description: 'of a test' }) }
    expect(problemOf(() => readParameters(named, sentQuery(''))).message).toBe(
      "Missing 'fps' query parameter",
    )
  })

  test('a value without a name, or a name that cannot be decoded, is ignored', () => {
    expect(sentQuery('=15')).toEqual([{ name: '', value: '15', encoded: '15' }])
    expect(readParameters({ fps: optional(fps) }, sentQuery('=15&%zz=15&%=1'))).toEqual({})
  })

  test('an endpoint without parameters takes any query', () => {
    expect(readParameters({}, sentQuery('fps=x&%zz'))).toEqual({})
  })

  test('properties of Object.prototype are not parameters', () => {
    expect(readParameters({ fps: optional(fps) }, sentQuery('__proto__=1&constructor=2&toString=3'))).toEqual(
      {},
    )
  })

  test('never throws anything but invalid_parameter', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (search) => {
        try {
          readParameters(
            { fps, playerId: optional(playerId), name: optional(text(words)) },
            sentQuery(search),
          )
        } catch (error) {
          expect(error).toMatchObject({ code: 'invalid_parameter' })
        }
      }),
    )
  })
})

test('an exact query has no other name than those of the parameters', () => {
  const exact = (search: string) => readExactQuery({ fps, playerId: optional(playerId) }, search)
  expect(exact('FPS=15&playerid=1')).toEqual({ fps: 15, playerId: 1n })
  const { details, message } = problemOf(() => exact('fps=15&player=1'))
  expect([details.parameter, message]).toEqual([
    'player',
    "Unknown query parameter 'player'. This request has fps and playerId",
  ])
  for (const [search, name] of [
    ['a=1', 'a'],
    ['=1', ''],
    ['%zz=1', ''],
  ] as const)
    expect(problemOf(() => readExactQuery({}, search)).message).toBe(
      `Unknown query parameter '${name}'. This request has none`,
    )
})

describe('values', () => {
  test('a player id is any int64 with every digit', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (id) => {
        expect(playerId.read(String(id))).toBe(id)
      }),
    )
    for (const outside of [2n ** 63n, -(2n ** 63n) - 1n, 10n ** 60n])
      expect(playerId.read(String(outside))).toBeUndefined()
    for (const malformed of ['', ' 1', '1 ', '+1', '1.0', '1e3', '0x1', '１', '1n', '9'.repeat(100_000)])
      expect(playerId.read(malformed)).toBeUndefined()
  })

  test('an integer is -?[0-9]+ within its bounds and nothing else', () => {
    fc.assert(
      fc.property(fc.string(), (given) => {
        const value = integer(-5, 5, words).read(given)
        if (!/^-?[0-9]+$/.test(given)) expect(value).toBeUndefined()
        else expect(value).toBe(Math.abs(Number(given)) <= 5 ? Number(given) : undefined)
      }),
    )
  })

  test('a text is anything that is not blank', () => {
    expect(text(words).read(' a ')).toBe(' a ')
    for (const blank of ['', ' ', '\t\n', '\u00a0']) expect(text(words).read(blank)).toBeUndefined()
  })

  test('a time is ISO 8601 with its zone, and stays the text that was sent', () => {
    const at = time(words)
    expect(isoTime(1_795_262_400_123)).toBe('2026-11-21T12:00:00.123Z')
    for (const [sent, instant] of [
      ['2026-11-21T12:00:00Z', 1_795_262_400_000],
      ['2026-11-21T12:00:00.123Z', 1_795_262_400_123],
      ['2026-11-21T12:00:00.123456789Z', 1_795_262_400_123],
      ['2026-11-21T13:30:00+01:30', 1_795_262_400_000],
      ['2026-11-21T07:00:00.5-05:00', 1_795_262_400_500],
    ] as const)
      expect([at.read(sent), timeOf(sent)]).toEqual([sent, instant])
    for (const malformed of [
      ...['', '0', 'now', '2026-11-21', '2026-11-21T12:00:00', '2026-11-21 12:00:00Z', '2026-11-21T12:00Z'],
      ...['2026-13-21T12:00:00Z', '2026-11-21T25:00:00Z', '2026-11-21T12:00:00.1234567890Z'],
      ...['2026-11-21T12:00:00.Z', '2026-11-21T12:00:00+0130', '2026-11-21T12:00:00Zulu'],
      ...['on 2026-11-21T12:00:00Z', '+2026-11-21T12:00:00Z', 'Nov 21 2026 12:00:00 GMT'],
    ])
      expect([malformed, at.read(malformed), timeOf(malformed)]).toEqual([malformed, undefined, undefined])
  })

  test('a short text is not blank and has at most so many units', () => {
    const short = shortText(3, words)
    expect(['abc', 'abcd', ' ', '🥕a', '🥕🥕'].map(short.read)).toEqual([
      'abc',
      undefined,
      undefined,
      '🥕a',
      undefined,
    ])
    expect(short).toMatchObject({
      expected: 'a text of at most 3 characters',
      required: true,
      schema: { type: 'string', minLength: 1, maxLength: 3 },
    })
  })

  test('a page of a list begins at the next of the page before, and has 100 entries unless given', () => {
    const page = { before, limit: pageLimit('Rows'), name: optional(text(words)) }
    const read = (search: string) => pageOf(readParameters(page, sentQuery(search)))
    expect(read('')).toEqual({ limit: 100 })
    expect(read('before=12&limit=500&name=a')).toEqual({ before: 12, limit: 500, name: 'a' })
    expect(read(`before=${'9'.repeat(16)}`).before).toBe(Number.MAX_SAFE_INTEGER)
    for (const wrong of ['before=0', 'before=012', 'before=1x', 'before=x1', `before=${'1'.repeat(17)}`])
      expect(problemOf(() => read(wrong)).message).toBe("Parameter 'before' must be a page's `next`")
    for (const wrong of ['limit=0', 'limit=501'])
      expect(problemOf(() => read(wrong)).message).toBe("Parameter 'limit' must be an integer from 1 to 500")
  })

  test('a boolean is true or false in any case', () => {
    expect(['true', 'TRUE', 'False', '1', 'yes', '', 'constructor'].map(boolean(words).read)).toEqual([
      true,
      true,
      false,
      undefined,
      undefined,
      undefined,
      undefined,
    ])
  })
})
