import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { problemLines, readEnvironment } from '../../lib/environment.ts'
import { flag, list, logLevel, wholeNumber } from '../../lib/values.ts'

const variables = {
  schema: v.object({
    FARM_KEY: v.optional(v.pipe(v.string(), v.minLength(4, 'is too short'))),
    FARM_PORT: v.optional(wholeNumber(0, 65_535), '8080'),
    FARM_OPEN: v.optional(flag, 'no'),
    FARM_NAMES: v.optional(list, ''),
    FARM_PROXY: v.optional(v.string()),
    LOG_LEVEL: v.optional(logLevel, 'info'),
  }),
  traits: {
    FARM_KEY: { secret: true, file: true, made: true, aliases: ['OLD_KEY'] },
    FARM_PROXY: { borrowed: ['HTTPS_PROXY'] },
  },
} as const

const read = (env: Record<string, unknown>, files: Record<string, string> = {}) =>
  readEnvironment(variables, env, (path) => {
    const content = files[path]
    if (content === undefined) throw Object.assign(new Error('no such file'), { code: 'ENOENT' })
    return content
  })
const valuesOf = (...args: Parameters<typeof read>) => read(...args).values
const reported = (...args: Parameters<typeof read>) => problemLines(read(...args).problems)

describe('values', () => {
  test('true, false, 1, 0, yes and no, in any case', () => {
    for (const [text, value] of Object.entries({
      true: true,
      '1': true,
      Yes: true,
      FALSE: false,
      '0': false,
      no: false,
    }))
      expect(valuesOf({ FARM_OPEN: text })?.FARM_OPEN).toBe(value)
    for (const wrong of ['on', 'constructor', '2'])
      expect(reported({ FARM_OPEN: wrong })).toContain('yes or no')
  })

  test('an empty or blank variable counts as not set, and blanks around a value do not count', () => {
    expect(valuesOf({ FARM_PORT: '', FARM_KEY: ' ', LOG_LEVEL: '\t' })).toEqual(valuesOf({}))
    expect(valuesOf({ FARM_PORT: ' 90\n' })?.FARM_PORT).toBe(90)
  })

  test('a list is split at commas, but not inside braces', () => {
    expect(valuesOf({ FARM_NAMES: 'a, *.{ogg,wav},, b' })?.FARM_NAMES).toEqual(['a', '*.{ogg,wav}', 'b'])
  })

  test('a value that is not a string counts as not set', () => {
    expect(valuesOf({ FARM_PORT: { binding: true } })?.FARM_PORT).toBe(8080)
  })
})

describe('names', () => {
  test('the name of a variable is read before its aliases, and those before names of other programs', () => {
    expect(valuesOf({ FARM_KEY: 'mine!', OLD_KEY: 'older' })?.FARM_KEY).toBe('mine!')
    expect(valuesOf({ OLD_KEY: 'older' })?.FARM_KEY).toBe('older')
    expect(valuesOf({ HTTPS_PROXY: 'http://p', FARM_PROXY: 'http://q' })?.FARM_PROXY).toBe('http://q')
    expect(valuesOf({ HTTPS_PROXY: 'http://p' })?.FARM_PROXY).toBe('http://p')
  })

  test('a misspelt name is refused with the correct name; unknown names are ignored', () => {
    expect(read({ FARM_POTR: '1', UNRELATED: 'x', FARM_PORTS: '' }).problems).toEqual([
      { variable: 'FARM_POTR', problem: expect.stringContaining('FARM_PORT is meant') },
    ])
    expect(reported({ HTTP_PROXY: 'http://p' })).toBe('')
  })
})

describe('_FILE', () => {
  test('names a file that contains the value, for aliases too', () => {
    for (const name of ['FARM_KEY_FILE', 'OLD_KEY_FILE'])
      expect(valuesOf({ [name]: '/run/key' }, { '/run/key': ' from file\n' })?.FARM_KEY).toBe('from file')
  })

  test('together with the variable itself is an error', () => {
    expect(reported({ FARM_KEY: 'mine!', FARM_KEY_FILE: '/k' }, { '/k': 'x' })).toBe(
      'FARM_KEY: FARM_KEY_FILE is set too; keep one of the two\n',
    )
  })

  test('a file that is missing, empty or has a wrong value is reported once, under the name with _FILE', () => {
    expect(reported({ FARM_KEY_FILE: '/none' })).toMatch(/^FARM_KEY_FILE: names \/none, .*ENOENT.*\n$/)
    expect(reported({ FARM_KEY_FILE: '/k' }, { '/k': '\n' })).toMatch(/^FARM_KEY_FILE: .*empty.*\n$/)
    expect(reported({ FARM_KEY_FILE: '/k' }, { '/k': 'abc' })).toBe('FARM_KEY_FILE: is too short\n')
  })
})

describe('KEYS_DIR', () => {
  const keys = { KEYS_DIR: '/keys' }

  test('has a key that nothing else sets, in a file with its name in lower case', () => {
    const made = { '/keys/farm_key': 'made\n', '/k': 'from file' }
    expect(valuesOf(keys, made)?.FARM_KEY).toBe('made')
    expect(valuesOf({ ...keys, FARM_KEY: 'mine' }, made)?.FARM_KEY).toBe('mine')
    expect(valuesOf({ ...keys, OLD_KEY: 'older' }, made)?.FARM_KEY).toBe('older')
    expect(valuesOf({ ...keys, FARM_KEY_FILE: '/k' }, made)?.FARM_KEY).toBe('from file')
  })

  test('without the file of a key that nothing else sets is an error, so that no process starts without it', () => {
    expect(reported(keys)).toMatch(
      /^FARM_KEY: is not set, and KEYS_DIR names \/keys\/farm_key, .*ENOENT.*\n$/,
    )
    expect(reported(keys, { '/keys/farm_key': ' \n' })).toMatch(/^FARM_KEY: is not set, .*empty.*\n$/)
    expect(reported({ ...keys, FARM_KEY: 'mine' })).toBe('')
  })
})

test('all errors are reported together, one line each, without secrets', () => {
  const { values, problems } = read({ FARM_KEY: 'can', FARM_PORT: 'x', FARM_OPEN: 'maybe', FARM_NMAES: 'a' })
  expect(values).toBeUndefined()
  expect(problemLines(problems).split('\n')).toEqual([
    'FARM_KEY: is too short',
    'FARM_PORT: is "x"; use a whole number from 0 to 65535',
    'FARM_OPEN: is "maybe"; use true, false, 1, 0, yes or no',
    'FARM_NMAES: is not known; FARM_NAMES is meant? Rename it, or remove it',
    '',
  ])
})
