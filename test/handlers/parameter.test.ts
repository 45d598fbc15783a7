import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  boolean,
  integer,
  optional,
  playerId,
  readParameters,
  sentQuery,
  text,
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
