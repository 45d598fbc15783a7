/** Each variable of docs/configuration.md: its valid values, and the errors for others. */

import { readdirSync } from 'node:fs'
import { describe, expect, onTestFinished, test } from 'vitest'
import { isDisabled } from '../../../runtime/node/config.ts'
import { openGameMods } from '../../../runtime/node/game-mods.ts'
import { steeredFarm } from '../../bridges/simulated/steered-farm.ts'
import { silent } from '../../logs.ts'
import { noBackups } from '../../records/no-backups.ts'
import { farmMods } from '../../services/mods/farm-mods.ts'
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
  ['PUBLIC_BADGE', { '': true, false: false }, ['maybe']],
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

  test('a key under 16 characters is an error', () => {
    expect(config({ API_KEY: 'x'.repeat(16) }).API_KEY).toHaveLength(16)
    refused('API_KEY', 'x'.repeat(15))
    expect(problems({ API_KEY: undefined, API_KEY_FILE: '/k' }, { '/k': 'short' })).toEqual([
      { variable: 'API_KEY_FILE', problem: expect.stringContaining('16') },
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
    for (const broken of ['{"Game":', '{"Server":{"MaxPlayers":"many"}}', '[]'])
      expect(problems({ SETTINGS_PATH: '/s.json', API_PORT: 'x' }, { '/s.json': broken })).toEqual([
        { variable: 'API_PORT', problem: expect.any(String) },
        { variable: 'SETTINGS_PATH', problem: expect.stringContaining('server-settings.json') },
      ])
  })
})

describe('EDGE_URL, EDGE_LINK_KEY(_FILE)', () => {
  const EDGE_LINK_KEY = 'the link key of a farm'

  test('are set together, the farm path included', () => {
    const read = config({ EDGE_URL: 'https://edge.example/farms/clover/', EDGE_LINK_KEY })
    expect([read.EDGE_URL, read.EDGE_LINK_KEY]).toEqual([
      ['https://edge.example/farms/clover'],
      EDGE_LINK_KEY,
    ])
    expect(problems({ EDGE_URL: 'https://edge.example' }).map(({ variable }) => variable)).toEqual([
      'EDGE_LINK_KEY',
    ])
    expect(problems({ EDGE_LINK_KEY }).map(({ variable }) => variable)).toEqual(['EDGE_URL'])
  })

  test('EDGE_URL can name several addresses; each one must be right', () => {
    const EDGE_URL = 'https://a.example/farms/clover, https://b.example/farms/clover/'
    expect(config({ EDGE_URL, EDGE_LINK_KEY }).EDGE_URL).toEqual([
      'https://a.example/farms/clover',
      'https://b.example/farms/clover',
    ])
    refused('EDGE_URL', 'https://a.example,http://b.example', { EDGE_LINK_KEY })
  })

  test('a key that no header can carry, such as an empty file, is refused before the start', () => {
    const EDGE_URL = 'https://edge.example'
    refused('EDGE_LINK_KEY', 'two\nlines', { EDGE_URL })
    expect(problems({ EDGE_URL, EDGE_LINK_KEY_FILE: '/k' }, { '/k': '\n' })).toEqual([
      { variable: 'EDGE_LINK_KEY_FILE', problem: expect.stringMatching(/may/) },
    ])
  })

  test('http is allowed only to loopback', () => {
    for (const local of ['http://127.0.0.1:8787', 'http://localhost:8787', 'http://[::1]:8787'])
      expect(config({ EDGE_URL: local, EDGE_LINK_KEY }).EDGE_URL).toEqual([local])
    for (const far of ['http://edge.example', 'http://127.evil.example', 'http://localhost.evil.example'])
      refused('EDGE_URL', far, { EDGE_LINK_KEY })
  })
})

describe('BACKUP_S3_URL, its keys and BACKUP_PASSPHRASE(_FILE)', () => {
  const keys = { BACKUP_S3_ACCESS_KEY_ID: 'id', BACKUP_S3_SECRET_ACCESS_KEY: 'secret' }
  const BACKUP_S3_URL = 'https://s3.example/bucket/farm'

  test('are set together; the passphrase and the region are optional', () => {
    const read = config({ ...keys, BACKUP_S3_URL: `${BACKUP_S3_URL}/` })
    expect([read.BACKUP_S3_URL, read.BACKUP_S3_REGION, read.BACKUP_PASSPHRASE]).toEqual([
      BACKUP_S3_URL,
      undefined,
      undefined,
    ])
    expect(problems({ BACKUP_S3_URL }).map(({ variable }) => variable)).toEqual(Object.keys(keys))
  })

  test('a variable for off-site copies is refused without BACKUP_S3_URL, above all a passphrase: nothing would be encrypted', () => {
    for (const lone of [
      { BACKUP_S3_ACCESS_KEY_ID: 'id' },
      { BACKUP_S3_SECRET_ACCESS_KEY: 'secret' },
      { BACKUP_S3_REGION: 'eu-central-1' },
      { BACKUP_PASSPHRASE: 'five random words of a list' },
    ])
      expect(problems(lone)).toEqual([
        { variable: 'BACKUP_S3_URL', problem: expect.stringContaining(Object.keys(lone).join()) },
      ])
  })

  test('the address names a bucket, and no user, query or fragment', () => {
    for (const wrong of ['', '/', '/bucket?x', '/bucket#x'])
      refused('BACKUP_S3_URL', `https://s3.example${wrong}`, keys)
    refused('BACKUP_S3_URL', 'https://user:word@s3.example/bucket', keys)
    refused('BACKUP_S3_URL', 's3://bucket/farm', keys)
  })

  test('a passphrase has at least 16 characters, all of which can be typed, also from a file', () => {
    const copied = { ...keys, BACKUP_S3_URL }
    refused('BACKUP_PASSPHRASE', 'fifteen letters', copied)
    refused('BACKUP_PASSPHRASE', 'two lines of\nwords, and more', copied)
    const words = 'fünf zufällige Wörter'
    expect(config({ ...copied, BACKUP_PASSPHRASE: words }).BACKUP_PASSPHRASE).toBe(words)
    const file = { ...copied, BACKUP_PASSPHRASE_FILE: '/p' }
    expect(problems(file, { '/p': 'short\n' }).map(({ variable }) => variable)).toEqual([
      'BACKUP_PASSPHRASE_FILE',
    ])
  })
})

describe('all problems', () => {
  test('are reported together, each with its variable and its fix', () => {
    const wrong = {
      API_KEY: 'short',
      API_PORT: 'eighty',
      API_BASE_PATH: 'farm',
      GAME_BRIDGE: 'real',
      GAME_API_URL: 'server',
      PLATFORM_AUTH_URL: 'auth',
      SETTINGS_PATH: '/none',
      ALLOWED_ORIGINS: '*',
      TRUST_PROXY: 'yes',
      PUBLIC_INVITE_CODES: 'maybe',
      REFUSALS: '409',
      RATE_LIMIT_READS: 'none',
      RATE_LIMIT_WRITES: '-1',
      RATE_LIMIT_ANONYMOUS: 'x',
      RATE_LIMIT_FAILED_KEYS: 'x',
      WS_MAX_CLIENTS: '0',
      LOG_LEVEL: 'loud',
      LOG_FORMAT: 'xml',
      EDGE_URL: 'edge',
      DISCORD_PUBLIC_KEY: 'key',
      DISCORD_API_URL: 'discord',
    }
    const found = problems(wrong)
    const named = [...Object.keys(wrong), 'EDGE_LINK_KEY']
    expect(new Set(found.map(({ variable }) => variable))).toEqual(new Set(named))
    for (const { problem } of found) expect(problem.length).toBeGreaterThan(10)
  })

  test('are each reported once, with the valid range', () => {
    expect(problems({ ALLOWED_ORIGINS: 'a.example,b.example' })).toHaveLength(1)
    for (const speed of ['0', '10000'])
      expect(problems({ SIM_SPEED: speed })).toEqual([
        { variable: 'SIM_SPEED', problem: expect.stringContaining('0.001 to 9999.999') },
      ])
  })

  test('do not contain secrets', () => {
    const canary = 'canary'
    const reported = JSON.stringify([
      problems({ API_KEY: canary }),
      problems({ API_KEY: `${canary} é ${key}` }),
      problems({ API_KEY: `${canary}-${key}`, API_KEY_FILE: '/k' }, { '/k': `${canary} ${key}` }),
      problems({ GAME_API_URL: `x://user:${canary}@server` }),
      problems({ PLATFORM_AUTH_URL: `${canary}` }),
      problems({ EDGE_URL: `http://edge.example/${canary}`, EDGE_LINK_KEY: canary }),
      problems({ GAME_API_KEY: canary, GAME_API_KEY_FILE: '/none' }),
      problems({ EDGE_LINK_KEY: canary }),
    ])
    expect(reported).not.toContain(canary)
  })
})

describe('SIGN_IN_DISCORD_…, SIGN_IN_OIDC_…', () => {
  const discord = {
    PUBLIC_URL: 'https://farm.example/',
    SIGN_IN_DISCORD_CLIENT_ID: '157730590492196864',
    SIGN_IN_DISCORD_CLIENT_SECRET: 'secret',
  }
  const oidc = {
    PUBLIC_URL: 'https://farm.example',
    SIGN_IN_OIDC_ISSUER: 'https://id.example/realms/farm/',
    SIGN_IN_OIDC_CLIENT_ID: 'farmgate',
    SIGN_IN_OIDC_CLIENT_SECRET_FILE: '/secret',
  }

  test('are read with PUBLIC_URL, secrets from files too', () => {
    expect(config(discord)).toMatchObject({ ...discord, PUBLIC_URL: 'https://farm.example' })
    expect(config(oidc, { '/secret': 'of a file\n' })).toMatchObject({
      SIGN_IN_OIDC_ISSUER: 'https://id.example/realms/farm/',
      SIGN_IN_OIDC_CLIENT_SECRET: 'of a file',
    })
    expect(config({ PUBLIC_URL: 'http://127.0.0.1:8080' }).PUBLIC_URL).toBe('http://127.0.0.1:8080')
  })

  test.each(Object.keys(discord))('of Discord need %s', (name) => {
    const { [name]: _, ...others } = discord as Record<string, string>
    expect(problems(others).map(({ variable }) => variable)).toEqual([name])
  })

  test.each(Object.keys(oidc))('of an issuer need %s', (name) => {
    const { [name]: _, ...others } = oidc as Record<string, string>
    expect(problems(others, { '/secret': 'secret' }).map(({ variable }) => variable)).toEqual([
      name.replace('_FILE', ''),
    ])
  })

  test('need a key, because without one everyone may do everything', () => {
    const found = problems({ ...discord, API_KEY: '', ALLOW_INSECURE_SETUP: 'true' })
    expect(found.map(({ variable }) => variable)).toEqual(['API_KEY'])
  })

  test('page and issuer are plain HTTP only on loopback', () => {
    refused('PUBLIC_URL', 'http://farm.example')
    refused('PUBLIC_URL', 'https://farm.example/?a=b')
    refused('PUBLIC_URL', 'https://name:word@farm.example')
    refused('SIGN_IN_OIDC_ISSUER', 'http://id.example', {
      ...oidc,
      SIGN_IN_OIDC_CLIENT_SECRET_FILE: '',
      SIGN_IN_OIDC_CLIENT_SECRET: 'secret',
    })
  })
})

describe('GAME_HOST', () => {
  test.each([
    ['docker', ['GAME_CONTAINER']],
    ['systemd', ['GAME_UNIT']],
    ['pelican', ['PELICAN_URL', 'PELICAN_KEY', 'PELICAN_SERVER']],
    ['command', ['GAME_START', 'GAME_STOP', 'GAME_RUNNING']],
  ])('%s without what it needs is refused, and each variable is named', (GAME_HOST, names) => {
    expect(problems({ GAME_HOST })).toEqual(
      names.map((variable) => ({ variable, problem: `is not set, but GAME_HOST=${GAME_HOST} needs it` })),
    )
  })

  test('needs commands as JSON arrays, and no message repeats them', () => {
    const others = { GAME_HOST: 'command', GAME_START: '["/game"]', GAME_RUNNING: '["/game"]' }
    for (const GAME_STOP of ['/usr/bin/game start canary', '[]', '["", "canary"]', '["/game", 1]'])
      expect(problems({ ...others, GAME_STOP })).toEqual([
        { variable: 'GAME_STOP', problem: expect.stringMatching(/^use a JSON array(?!.*canary)/) },
      ])
  })
})

test('MODS_ACCESS is ro, MODS_OFF_DIR is next to MODS_DIR, and no one is asked for updates, unless they are set', async () => {
  const folder = farmMods()
  onTestFinished(folder.remove)
  folder.put('Mod', { id: 'A.Mod' })
  const game = steeredFarm()
  onTestFinished(() => game.close())
  const opened = (env: Record<string, string>) =>
    openGameMods({
      config: config({ MODS_DIR: `${folder.dir}/`, DATA_DIR: `${folder.root}/data`, ...env }),
      game,
      backups: noBackups,
      process: async () => undefined,
      log: silent,
    }).port
  const refused = (what: string) => ({
    failure: { kind: 'unsupported', what: expect.stringContaining(what) },
  })
  const usual = opened({})
  expect(await usual.mods()).toMatchObject({ access: 'ro', mods: [{ id: 'A.Mod' }] })
  await expect(usual.disableMod('A.Mod', false)).rejects.toMatchObject(refused('MODS_ACCESS'))
  await expect(usual.modUpdates()).rejects.toMatchObject(refused('MODS_UPDATES'))
  expect(await opened({ MODS_ACCESS: 'rw' }).disableMod('A.Mod', false)).toBe(true)
  expect(readdirSync(`${folder.dir}.off`)).toEqual(['Mod'])
  await expect(opened({ MODS_DIR: '' }).mods()).rejects.toMatchObject(refused('MODS_DIR'))
})
