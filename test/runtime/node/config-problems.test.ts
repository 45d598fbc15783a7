/** The variables of the edge, and the report of all problems together, without secrets. */
import { describe, expect, test } from 'vitest'
import { config, key, problems, refused } from './config-reading.ts'

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
