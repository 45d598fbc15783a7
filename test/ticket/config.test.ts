import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isUserName } from '../../lib/platform-user-name.ts'
import { readConfig, secretsOf } from '../../ticket/config.ts'
import { newFolder } from '../new-folder.ts'
import { configOf } from './setting.ts'

const token = 'aaaa.bbbb.cccc'

test('every variable has its documented default', () => {
  expect(configOf({})).toMatchObject({
    username: undefined,
    password: undefined,
    refreshToken: undefined,
    port: 3001,
    host: undefined,
    ticketKey: undefined,
    sessionDir: '/data/platform-session',
    gameDir: '/data/game',
    forceRedownload: false,
    keepLanguages: [],
    proxy: undefined,
    appId: 413150,
    downloadConnections: 16,
    downloadExclude: [],
  })
  expect(configOf({}).downloadWorkers).toBeGreaterThanOrEqual(1)
  expect(configOf({}).downloadWorkers).toBeLessThanOrEqual(4)
})

test('each variable is read under its STEAM_ name when the PLATFORM_ one is unset', () => {
  const config = configOf({
    STEAM_USERNAME: 'junimo',
    STEAM_PASSWORD: 'secret',
    STEAM_REFRESH_TOKEN: token,
    STEAM_KEEP_LANGUAGES: 'de-DE, ja-JP',
  })
  expect(config).toMatchObject({ username: 'junimo', password: 'secret', refreshToken: token })
  expect(config.keepLanguages).toEqual(['de-DE', 'ja-JP'])
  expect(configOf({ STEAM_USERNAME: 'old', PLATFORM_USERNAME: 'new' }).username).toBe('new')
  expect(configOf({ STEAM_USERNAME: 'old', PLATFORM_USERNAME: ' ' }).username).toBe('old')
})

test('secrets are also read from the file that _FILE names', () => {
  const folder = newFolder()
  const file = join(folder, 'secret')
  writeFileSync(file, 'from-a-file-1234567\n')
  const config = configOf({ STEAM_PASSWORD_FILE: file, TICKET_KEY_FILE: file })
  expect(config).toMatchObject({ password: 'from-a-file-1234567', ticketKey: 'from-a-file-1234567' })
  const { problems } = readConfig({
    PLATFORM_PASSWORD_FILE: join(folder, 'absent'),
    TICKET_KEY_FILE: file,
    TICKET_KEY: 'x'.repeat(16),
  })
  expect(problems?.map(({ variable }) => variable)).toEqual(['PLATFORM_PASSWORD_FILE', 'TICKET_KEY'])
})

test('with KEYS_DIR the key of the first start is used, and a service without one does not start open', () => {
  const folder = newFolder()
  expect(readConfig({ KEYS_DIR: folder }).problems).toEqual([
    { variable: 'TICKET_KEY', problem: expect.stringContaining(`${folder}/ticket_key`) },
  ])
  writeFileSync(join(folder, 'ticket_key'), 'made-at-the-first-start')
  expect(configOf({ KEYS_DIR: folder }).ticketKey).toBe('made-at-the-first-start')
})

test('a proxy whose password has a % that must be written %25 is refused, and the password is not repeated', () => {
  for (const name of ['PLATFORM_PROXY', 'HTTPS_PROXY']) {
    const { problems } = readConfig({ [name]: 'http://farmer:50%off@proxy:3128' })
    expect(problems).toEqual([
      {
        variable: name,
        problem: 'the user name or password has a % that begins no code of a character; write it as %25',
      },
    ])
  }
  const config = configOf({ PLATFORM_PROXY: 'http://farmer:50%25off@proxy:3128' })
  expect(secretsOf(config)).toContain('50%off')
})

test('a SESSION_DIR in GAME_DIR, where the game server could read the session, is refused', () => {
  const problems = (SESSION_DIR: string) => readConfig({ GAME_DIR: '/data/game/', SESSION_DIR }).problems
  for (const path of ['/data/game', '/data/game/session', '/data/other/../game/x', '/data/game/..session'])
    expect(problems(path)).toEqual([
      { variable: 'SESSION_DIR', problem: expect.stringContaining('must not be in GAME_DIR') },
    ])
  for (const path of ['/data', '/data/game-session', '/session']) expect(problems(path)).toBeUndefined()
})

test('all problems are reported at once, each with name, reason and fix', () => {
  const { problems } = readConfig({
    STEAM_USERNAME: '../etc',
    PORT: '70000',
    TICKET_KEY: 'short',
    PLATFORM_PROXY: 'ftp://proxy',
    DOWNLOAD_CONNECTIONS: 'many',
    FORCE_REDOWNLOAD: 'maybe',
    PLATFORM_REFRESH_TOKEN: 'not-a-token',
  })
  const names = problems?.map(({ variable }) => variable)
  expect(names?.sort()).toEqual([
    'DOWNLOAD_CONNECTIONS',
    'FORCE_REDOWNLOAD',
    'PLATFORM_PROXY',
    'PLATFORM_REFRESH_TOKEN',
    'PORT',
    'STEAM_USERNAME',
    'TICKET_KEY',
  ])
  for (const { problem } of problems ?? []) expect(problem).toMatch(/use /)
})

test('no message contains the value of a secret', () => {
  const { problems } = readConfig({
    TICKET_KEY: 'canary',
    PLATFORM_REFRESH_TOKEN: 'canary',
    PLATFORM_PROXY: 'ftp://u:canary@p',
  })
  expect(problems).toHaveLength(3)
  expect(JSON.stringify(problems)).not.toContain('canary')
  expect(secretsOf(configOf({ PLATFORM_PROXY: 'http://u:c%40nary@proxy:3128' }))).toContain('c@nary')
})

test('the key has 16 or more URL-safe characters', () => {
  expect(readConfig({ TICKET_KEY: 'abcdefghijklmno' }).problems).toHaveLength(1)
  expect(readConfig({ TICKET_KEY: 'abcdefghijklmno/' }).problems).toHaveLength(1)
  expect(configOf({ TICKET_KEY: 'abc.~_-hijklmnop' }).ticketKey).toBe('abc.~_-hijklmnop')
})

test('a user name cannot have path characters', () => {
  for (const bad of [
    '../up',
    '..',
    '.',
    'a/b',
    'a\\b',
    'a\0b',
    '',
    '.hidden',
    'a..b',
    'x'.repeat(65),
    'a\nb',
  ]) {
    expect(isUserName(bad), JSON.stringify(bad)).toBe(false)
  }
  for (const good of ['junimo', 'Junimo_42', 'pierre@stardew', 'a.b', 'фермер'])
    expect(isUserName(good), good).toBe(true)
})

test('HTTPS_PROXY is used when PLATFORM_PROXY is unset', () => {
  expect(configOf({ HTTPS_PROXY: 'http://proxy:3128' }).proxy).toBe('http://proxy:3128')
  expect(configOf({ HTTPS_PROXY: 'http://other:1', PLATFORM_PROXY: 'proxy:3128' }).proxy).toBe(
    'http://proxy:3128',
  )
})

test("with only the existing sidecar's session volume mounted, sessions are kept there", () => {
  const directory = (environment: Record<string, string>, ...mounted: string[]) =>
    readConfig(environment, (path) => mounted.includes(path)).config?.sessionDir
  expect(directory({}, '/data/steam-session')).toBe('/data/steam-session')
  expect(directory({}, '/data/steam-session', '/data/platform-session')).toBe('/data/platform-session')
  expect(directory({})).toBe('/data/platform-session')
  expect(directory({ SESSION_DIR: '/srv/session' }, '/data/steam-session')).toBe('/srv/session')
})
