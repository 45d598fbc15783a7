/** Each variable of docs/configuration.md: its valid values, and the errors for others. */
import { describe, expect, test } from 'vitest'
import { isDisabled } from '../../../runtime/node/config.ts'
import { config, key, problems, proposed, refused } from './config-reading.ts'

/** What is read of some values, '' for a variable that is not set, and values that are refused. */
const variables = [
  ['API_PORT', { '': 8080, 0: 0, 65535: 65_535 }, ['-1', '65536', '80.5', 'http', '8 0', '0x50', '1e3']],
  [
    'API_BASE_PATH',
    { '': '', '/': '', '/farm': '/farm', '/farm/': '/farm', '/a/b-c': '/a/b-c', '/.a/..b': '/.a/..b' },
    ['/..', '/../x', '/a/./b', '/a/../b', '/.', 'farm', '/a//b', '/a?b', '/ä', 'https://x/farm', '/a b'],
  ],
  ['PLATFORM_AUTH_URL', { 'http://steam-auth:3001/': 'http://steam-auth:3001' }, ['steam-auth']],
  [
    'ALLOWED_ORIGINS',
    {
      '': [],
      'https://a.example, http://localhost:5173,': ['https://a.example', 'http://localhost:5173'],
    },
    ['*', 'a.example', 'https://a.example/', 'https://a.example/x', 'null'],
  ],
  ['TRUST_PROXY', { '': 0, 2: 2 }, ['true', '-1', '1.5']],
  ['PUBLIC_INVITE_CODES', { '': false, 1: true }, ['maybe']],
  ['RATE_LIMIT_READS', { '': 600, 0: 0 }, ['-1', 'off', '1.5', '9'.repeat(30)]],
  ['RATE_LIMIT_WRITES', { '': 60, 0: 0 }, ['-1', 'off', '1.5', '9'.repeat(30)]],
  ['RATE_LIMIT_ANONYMOUS', { '': 600, 0: 0 }, ['-1', 'off', '1.5', '9'.repeat(30)]],
  ['RATE_LIMIT_FAILED_KEYS', { '': 10, 0: 0 }, ['-1', 'off', '1.5', '9'.repeat(30)]],
  ['WS_MAX_CLIENTS', { '': 2000, 1: 1 }, ['0', '-5', 'many']],
  ['LOG_LEVEL', { '': 'info' }, ['loud']],
  ['LOG_FORMAT', { '': 'json', pretty: 'pretty' }, ['xml']],
] as const

test.each(variables)(
  '%s has its default, is read, and is refused with other values',
  (variable, read, wrong) => {
    for (const [value, expected] of Object.entries(read))
      expect([value, config({ [variable]: value })[variable]]).toEqual([value, expected])
    for (const value of wrong) refused(variable, value)
  },
)

test('LOG_FORMAT is pretty on a terminal unless it is set', () => {
  expect(config({}, {}, true).LOG_FORMAT).toBe('pretty')
  expect(config({ LOG_FORMAT: 'json' }, {}, true).LOG_FORMAT).toBe('json')
})

describe('API_ENABLED', () => {
  test('is true, false, 1, 0, yes or no in any case; true by default', () => {
    for (const off of ['false', 'FALSE', '0', 'no', 'No']) expect(isDisabled({ API_ENABLED: off })).toBe(true)
    for (const on of ['true', 'TRUE', '1', 'yes', '']) {
      expect(isDisabled({ API_ENABLED: on })).toBe(false)
      expect(config({ API_ENABLED: on }).API_ENABLED).toBe(true)
    }
    for (const wrong of ['on', 'maybe', 'constructor', '2']) refused('API_ENABLED', wrong)
  })
})

describe('API_HOST', () => {
  test('is all interfaces when a key is set, loopback when not', () => {
    expect(config({}).API_HOST).toBeUndefined()
    expect(config({ API_KEY: '', ALLOW_INSECURE_SETUP: 'true' }).API_HOST).toBe('127.0.0.1')
    expect(config({ API_KEY: '', ALLOW_INSECURE_SETUP: 'true', API_HOST: '0.0.0.0' }).API_HOST).toBe(
      '0.0.0.0',
    )
  })
})

describe('API_KEY and API_KEY_FILE', () => {
  test('the key is read from the variable, or from the file without surrounding blanks', () => {
    expect(config({}).API_KEY).toBe(key)
    expect(config({ API_KEY: undefined, API_KEY_FILE: '/run/key' }, { '/run/key': `${key}\n` }).API_KEY).toBe(
      key,
    )
  })

  test('setting both is an error', () => {
    expect(problems({ API_KEY_FILE: '/run/key' }, { '/run/key': key })).toEqual([
      { variable: 'API_KEY', problem: expect.stringContaining('API_KEY_FILE') },
    ])
  })

  test('a key under 16 characters is an error', () => {
    expect(config({ API_KEY: 'x'.repeat(16) }).API_KEY).toHaveLength(16)
    refused('API_KEY', 'x'.repeat(15))
    expect(problems({ API_KEY: undefined, API_KEY_FILE: '/k' }, { '/k': 'short' })).toEqual([
      { variable: 'API_KEY_FILE', problem: expect.stringContaining('16') },
    ])
  })

  test('an empty key file, and one that cannot be read, are errors', () => {
    for (const files of [{ '/k': '\n' }, {}])
      expect(problems({ API_KEY: undefined, API_KEY_FILE: '/k' }, files)).toEqual([
        { variable: 'API_KEY_FILE', problem: expect.stringMatching(/./) },
      ])
  })

  test('characters that a header cannot carry are an error', () => {
    for (const wrong of ['sixteen letters é', `${key} ${key}`, `${key}\u0007`]) refused('API_KEY', wrong)
  })
})

describe('ALLOW_INSECURE_SETUP', () => {
  test('without it, a missing key is an error that names both fixes and suggests a key', () => {
    const [problem] = problems({ API_KEY: undefined })
    expect(problem).toEqual({ variable: 'API_KEY', problem: expect.stringContaining(`API_KEY=${proposed}`) })
    expect(problem?.problem).toContain('ALLOW_INSECURE_SETUP=true')
  })

  test('true without a key serves anyone', () => {
    expect(config({ API_KEY: undefined, ALLOW_INSECURE_SETUP: 'YES' }).API_KEY).toBeUndefined()
    expect(problems({ API_KEY: undefined, ALLOW_INSECURE_SETUP: 'false' })).toHaveLength(1)
  })
})

describe('GAME_BRIDGE', () => {
  test('is upstream if GAME_API_URL is set, else simulated', () => {
    expect(config({}).bridge).toBe('simulated')
    expect(config({ GAME_API_URL: 'http://server:8080' }).bridge).toBe('upstream')
    expect(config({ GAME_API_URL: 'http://server:8080', GAME_BRIDGE: 'simulated' }).bridge).toBe('simulated')
    refused('GAME_BRIDGE', 'real')
  })

  test('upstream needs GAME_API_URL', () => {
    expect(problems({ GAME_BRIDGE: 'upstream' })).toEqual([
      { variable: 'GAME_API_URL', problem: expect.stringContaining('upstream') },
    ])
  })
})

describe('GAME_API_URL, GAME_API_KEY(_FILE)', () => {
  test('an http or https address, and a key of any length', () => {
    const read = config({ GAME_API_URL: 'http://server:8080/', GAME_API_KEY: 'k' })
    expect([read.GAME_API_URL, read.GAME_API_KEY]).toEqual(['http://server:8080', 'k'])
    const GAME_API_URL = 'http://server:8080'
    expect(config({ GAME_API_URL, GAME_API_KEY_FILE: '/g' }, { '/g': 'from file\n' }).GAME_API_KEY).toBe(
      'from file',
    )
    for (const wrong of ['server:8080', 'ftp://x', 'nonsense']) refused('GAME_API_URL', wrong)
    refused('GAME_API_KEY', 'schlüssel', { GAME_API_URL })
    expect(
      problems({ GAME_API_URL, GAME_API_KEY: 'a', GAME_API_KEY_FILE: '/g' }, { '/g': 'b' }),
    ).toHaveLength(1)
  })

  test('GAME_API_KEY without GAME_API_URL is an error', () => {
    for (const env of [{ GAME_API_KEY: 'k' }, { GAME_API_KEY_FILE: '/g' }])
      expect(problems(env, { '/g': 'k' })).toEqual([
        { variable: 'GAME_API_URL', problem: expect.stringContaining(Object.keys(env)[0] ?? '') },
      ])
  })
})

describe('SETTINGS_PATH', () => {
  test('is read; a file that cannot be read is an error', () => {
    const file = '{"Game":{"FarmName":"Clover"}}'
    expect(config({ SETTINGS_PATH: '/s.json' }, { '/s.json': file }).settings?.shown.game.farmName).toBe(
      'Clover',
    )
    expect(problems({ SETTINGS_PATH: '/none.json' })).toEqual([
      { variable: 'SETTINGS_PATH', problem: expect.stringContaining('ENOENT') },
    ])
  })

  test('a broken file is an error, reported with all others', () => {
    for (const broken of ['{"Game":', '{"Server":{"MaxPlayers":"many"}}'])
      expect(problems({ SETTINGS_PATH: '/s.json', API_PORT: 'x' }, { '/s.json': broken })).toEqual([
        { variable: 'API_PORT', problem: expect.any(String) },
        { variable: 'SETTINGS_PATH', problem: expect.stringContaining('server-settings.json') },
      ])
  })
})
