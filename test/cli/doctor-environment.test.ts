/** The doctor's checks of variables, folders, files and ports of its own machine. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { asCheck, doctor, strong, unusedUrl } from './doctor.ts'
import { newFolder, run } from './farmgate.ts'
import { answering, farmWith } from './faulty.ts'

test('the keys that the first start made in KEYS_DIR are checked', async () => {
  const KEYS_DIR = newFolder()
  for (const name of ['api_key', 'game_api_key']) writeFileSync(join(KEYS_DIR, name), strong)
  const file = join(KEYS_DIR, 'api_key')
  chmodSync(file, 0o600)
  const { of } = await doctor({ KEYS_DIR, GAME_API_URL: unusedUrl, API_PORT: '2' })
  expect(of('KEYS_DIR')).toMatchObject([
    { state: 'ok', found: `${file} is private` },
    { state: 'warning', fix: `chmod 600 ${join(KEYS_DIR, 'game_api_key')}` },
  ])
  expect(of('API_KEY').map(({ found }) => found)).toEqual([
    `${strong.length} characters`,
    'it is also the key of the game server',
  ])
})

test('every mistake in the environment is named, and no secret in it', async () => {
  const { code, checks } = await doctor({ API_KEY: 'short', API_PORT: 'x' })
  expect(code).toBe(1)
  expect(checks).toMatchObject([
    { check: 'API_PORT', state: 'broken' },
    { check: 'API_KEY', state: 'broken' },
    { check: 'DATA_DIR', state: 'ok' },
  ])
  expect(JSON.stringify(checks)).not.toContain('short"')
})

test('a folder of saves that is not there, and files that others can read, are named', async () => {
  const XDG_CONFIG_HOME = newFolder()
  mkdirSync(join(XDG_CONFIG_HOME, 'farmgate'))
  const profiles = join(XDG_CONFIG_HOME, 'farmgate', 'profiles.json')
  writeFileSync(profiles, JSON.stringify({ profiles: { default: { url: unusedUrl, key: '' } } }))
  const keyFile = join(XDG_CONFIG_HOME, 'key')
  writeFileSync(keyFile, strong)
  const passphraseFile = join(XDG_CONFIG_HOME, 'passphrase')
  writeFileSync(passphraseFile, strong)
  for (const file of [profiles, keyFile, passphraseFile]) chmodSync(file, 0o644)
  const { of } = await doctor({
    XDG_CONFIG_HOME,
    API_KEY_FILE: keyFile,
    API_PORT: '2',
    SAVES_DIR: '/nowhere/saves',
    BACKUP_PASSPHRASE_FILE: passphraseFile,
  })
  expect(of('SAVES_DIR')).toMatchObject([
    {
      state: 'broken',
      found: expect.stringContaining('/nowhere/saves cannot be read: there is no such folder'),
    },
  ])
  expect(of('API_KEY_FILE')).toMatchObject([{ state: 'warning', fix: `chmod 600 ${keyFile}` }])
  expect(of('BACKUP_PASSPHRASE_FILE')).toMatchObject([
    { state: 'warning', fix: `chmod 600 ${passphraseFile}` },
  ])
  expect(of('profiles')).toMatchObject([{ state: 'warning', fix: `chmod 600 ${profiles}` }])
})

test('published ports that should be closed are named, in both forms that Docker prints', async () => {
  const publisher = (TargetPort: number, URL: string) => ({
    URL,
    TargetPort,
    PublishedPort: TargetPort,
    Protocol: 'tcp',
  })
  const services = [
    { Service: 'ticket', Publishers: [publisher(3001, '127.0.0.1')] },
    { Service: 'game', Publishers: [publisher(8080, '127.0.0.1'), publisher(5800, '0.0.0.0')] },
    { Service: 'api', Publishers: [publisher(8080, '0.0.0.0')] },
  ]
  for (const printed of [JSON.stringify(services), services.map((one) => JSON.stringify(one)).join('\n')]) {
    const folder = newFolder()
    writeFileSync(join(folder, 'printed'), printed)
    writeFileSync(join(folder, 'docker'), `#!/bin/sh\nexec cat ${join(folder, 'printed')}\n`, { mode: 0o755 })
    const PATH = `${folder}:${process.env['PATH']}`
    const { of } = await doctor({ FARMGATE_URL: unusedUrl, PATH })
    expect(of('published ports').map(({ state }) => state)).toEqual([
      'broken',
      'broken',
      'warning',
      'warning',
    ])
  }
})

test('wrong variables and a broken file of profiles are checks with a fix, and all other checks run', async () => {
  const folder = newFolder()
  mkdirSync(join(folder, 'farmgate'))
  const profiles = join(folder, 'farmgate', 'profiles.json')
  writeFileSync(profiles, 'broken')
  const { code, faults } = await doctor({
    XDG_CONFIG_HOME: folder,
    FARMGATE_URI: 'http://farm.example',
    FARMGATE_KEY_FILE: '/nowhere/key',
    ALLOW_INSECURE_SETUP: 'true',
    API_PORT: '2',
    DATA_DIR: join(profiles, 'data'),
    BACKUP_DIR: join(profiles, 'backups'),
    SETTINGS_PATH: '/nowhere/settings.json',
  })
  const variables = 'Set it again, or unset it: /help/cli has these variables.'
  const writable = 'Mount it without :ro, and give the user of this process the right to write there.'
  expect(faults).toEqual([
    asCheck([
      'SETTINGS_PATH',
      'broken',
      /cannot be read \(ENOENT\)/,
      '/help/configuration has every variable.',
    ]),
    asCheck(['API_KEY', 'warning', /anyone who reaches the address/, 'Set API_KEY.']),
    asCheck(['port', 'warning', /nothing answers at 2/, 'Start farmgate, or run the doctor where it runs.']),
    asCheck(['game server', 'warning', /a simulated farm is served/, 'Set GAME_API_URL and GAME_API_KEY.']),
    asCheck(['FARMGATE_KEY_FILE', 'broken', /cannot be read \(ENOENT\)/, variables]),
    asCheck(['FARMGATE_URI', 'broken', /is not known; FARMGATE_URL is meant/, variables]),
    asCheck(['DATA_DIR', 'broken', /cannot be written to/, writable]),
    asCheck(['BACKUP_DIR', 'broken', /cannot be written to/, writable]),
    asCheck([
      'SETTINGS_PATH',
      'broken',
      /cannot be read/,
      'Mount it, and give the user of this process the right to read it.',
    ]),
    asCheck([
      'profiles',
      'broken',
      /profiles\.json cannot be read: it is not a file of profiles/,
      'Fix or delete the file, then: farmgate login <url>.',
    ]),
  ])
  expect(code).toBe(1)
})

test('a misspelt variable does not hide the farm that the others name', async () => {
  const variables = { FARMGATE_URL: await answering(farmWith()), FARMGATE_KEYY: strong, FARMGATE_KEY: strong }
  const { stdout, code } = await run(['doctor', '--json'], variables)
  expect(code).toBe(1)
  expect(JSON.parse(stdout)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ check: 'FARMGATE_KEYY', state: 'broken' }),
      expect.objectContaining({ check: 'farmgate', state: 'ok' }),
      expect.objectContaining({ check: 'key', state: 'ok' }),
    ]),
  )
})
