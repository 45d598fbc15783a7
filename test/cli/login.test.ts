/** The farm that a command uses, and the key that it sends. */
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sharedServer } from '../contract/shared-server.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { at, inTerminal, newFolder, run } from './farmgate.ts'

const server = sharedServer(nodeServer)
const profilesIn = (folder: string) => join(folder, 'farmgate', 'profiles.json')

describe('login', () => {
  const server = sharedServer(nodeServer)

  test('asks for the key without showing it, and saves a profile of mode 0600 that later commands use', async () => {
    const folder = newFolder()
    const { type, sees, exit, screen } = inTerminal(['login', server().url], { XDG_CONFIG_HOME: folder })
    await sees('Key (API_KEY of the farm; not shown): ')
    type(`${server().key}\r`)
    await sees('Saved as profile default. Try: farmgate status')
    expect(await exit).toBe(0)
    expect(screen()).not.toContain(server().key)
    expect(statSync(profilesIn(folder)).mode & 0o777).toBe(0o600)
    expect((await run(['players'], { XDG_CONFIG_HOME: folder })).code).toBe(0)
  })

  test('a key that the farm refuses is not saved', async () => {
    const folder = newFolder()
    const { type, sees, exit } = inTerminal(['login', server().url], { XDG_CONFIG_HOME: folder })
    await sees('not shown): ')
    type('a key that is wrong\r'.replaceAll(' ', '-'))
    expect(await exit).toBe(3)
    expect(await run(['players'], { XDG_CONFIG_HOME: folder })).toMatchObject({ code: 2 })
  })
})

test('profiles have names, the key can come from a pipe, and logout removes one', async () => {
  const XDG_CONFIG_HOME = newFolder()
  const saved = await run(
    ['login', server().url, '--profile', 'clover'],
    { XDG_CONFIG_HOME },
    `${server().key}\n`,
  )
  expect(saved.code).toBe(0)
  expect(await run(['players'], { XDG_CONFIG_HOME })).toMatchObject({ code: 2, stdout: '' })
  expect((await run(['players', '--profile', 'clover'], { XDG_CONFIG_HOME })).code).toBe(0)
  expect((await run(['players'], { XDG_CONFIG_HOME, FARMGATE_PROFILE: 'clover' })).code).toBe(0)
  expect((await run(['logout', '--profile', 'clover'], { XDG_CONFIG_HOME })).code).toBe(0)
  expect((await run(['players', '--profile', 'clover'], { XDG_CONFIG_HOME })).code).toBe(2)
  expect((await run(['logout', '--profile', 'clover'], { XDG_CONFIG_HOME })).code).toBe(4)
})

test('options go before the environment, and the environment before a profile', async () => {
  const XDG_CONFIG_HOME = newFolder()
  const keyFile = join(XDG_CONFIG_HOME, 'key.txt')
  writeFileSync(keyFile, `${server().key}\n`)
  await run(['login', server().url, '--key-file', keyFile], { XDG_CONFIG_HOME })
  const unused = { FARMGATE_URL: 'http://127.0.0.1:2', FARMGATE_KEY: 'wrong' }
  expect((await run(['players'], { XDG_CONFIG_HOME, ...unused })).code).toBe(5)
  const options = ['--url', server().url, '--key-file', keyFile]
  expect((await run(['players', ...options], { XDG_CONFIG_HOME, ...unused })).code).toBe(0)
  expect((await run(['players'], { FARMGATE_URL: server().url, FARMGATE_KEY_FILE: keyFile })).code).toBe(0)
})

test('a saved key is sent to no other address than that of its profile', async () => {
  const XDG_CONFIG_HOME = newFolder()
  await run(['login', server().url], { XDG_CONFIG_HOME }, server().key)
  const other = await nodeServer({ key: 'another key of 32 bytes or more!'.replaceAll(' ', '-') })
  try {
    expect((await run(['players', '--url', other.url], { XDG_CONFIG_HOME })).code).toBe(3)
    // A wrong key would be counted; a missing one is not.
    expect((await run(['api', 'GET', '/metrics'], at(other))).stdout).toMatch(
      /^farmgate_failed_keys_total(?:\{.*\})? 0$/m,
    )
  } finally {
    await other.stop()
  }
})

test.each([
  ['an address that is none', { FARMGATE_URL: 'farm.example' }, /FARMGATE_URL: use an http/],
  ['a key twice', { FARMGATE_KEY: 'a', FARMGATE_KEY_FILE: '/b' }, /FARMGATE_KEY_FILE is set too/],
  ['a key file that is missing', { FARMGATE_KEY_FILE: '/nowhere/key' }, /cannot be read \(ENOENT\)/],
  ['a misspelt variable', { FARMGATE_URI: 'http://x' }, /FARMGATE_URI: is not known; FARMGATE_URL is meant/],
])('%s in the environment ends with 78 and says how to fix it', async (_, variables, words) => {
  const { code, stdout, stderr } = await run(['status'], { FARMGATE_URL: server().url, ...variables })
  expect({ code, stdout }).toEqual({ code: 78, stdout: '' })
  expect(stderr).toMatch(words)
})

test('a broken file of profiles ends with 78 and is not overwritten', async () => {
  const XDG_CONFIG_HOME = newFolder()
  mkdirSync(join(XDG_CONFIG_HOME, 'farmgate'))
  writeFileSync(profilesIn(XDG_CONFIG_HOME), 'broken')
  expect((await run(['status'], { XDG_CONFIG_HOME })).code).toBe(78)
  expect((await run(['login', server().url], { XDG_CONFIG_HOME }, server().key)).code).toBe(78)
  expect(readFileSync(profilesIn(XDG_CONFIG_HOME), 'utf8')).toBe('broken')
  // It is not needed when address and key are given.
  expect((await run(['status'], { XDG_CONFIG_HOME, ...at(server()) })).code).toBe(0)
})

test('a mode of the file that others could read is narrowed at the next login', async () => {
  const XDG_CONFIG_HOME = newFolder()
  await run(['login', server().url], { XDG_CONFIG_HOME }, server().key)
  chmodSync(profilesIn(XDG_CONFIG_HOME), 0o644)
  await run(['login', server().url, '--profile', 'two'], { XDG_CONFIG_HOME }, server().key)
  expect(statSync(profilesIn(XDG_CONFIG_HOME)).mode & 0o777).toBe(0o600)
})

test.each([
  ['no farm is named', ['status'], /farmgate login <url>/],
  [
    'an address with a password',
    ['status', '--url', 'http://me:secret@localhost'],
    /no user name and no password/,
  ],
  ['an unknown command', ['statsu'], /Did you mean status/],
  ['an unknown option', ['status', '--colour'], /unknown option/],
  ['the key as an option', ['status', '--key', 'secret'], /unknown option/],
])('%s: wrong usage, ends with 2 and says what is right', async (_, args, words) => {
  const { code, stdout, stderr } = await run(args)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(words)
  expect(stderr).not.toMatch(/secret@/)
})

test('an address without a server: ends with 5 and says what to check', async () => {
  for (const args of [['status'], ['chat'], ['say', 'hello'], ['api', 'GET', '/status']]) {
    const { code, stdout, stderr } = await run(args, { FARMGATE_URL: 'http://127.0.0.1:2' })
    expect({ args, code, stdout }).toEqual({ args, code: 5, stdout: '' })
    expect(stderr).toMatch(/farmgate doctor looks for the cause/)
  }
})
