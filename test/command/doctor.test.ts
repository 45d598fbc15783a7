/** Each fault that the doctor names. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startGameServer } from '../game-server/game-server.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { s3Key, startS3Server } from '../s3-server.ts'
import { at, run, temporaryFolder, type Variables } from './farmgate.ts'
import { answering, farmWith } from './faulty.ts'

interface Check {
  readonly check: string
  readonly state: string
  readonly found: string
  readonly mend?: string
}

const strong = 'c29tZXRoaW5nIHRoYXQgaXMgMzIgYnl0ZXM='
const nobody = 'http://127.0.0.1:2'

async function doctor(variables: Variables, ...args: string[]) {
  const { code, stdout } = await run(['doctor', '--json', '--patience', '1', ...args], variables)
  const checks: Check[] = JSON.parse(stdout)
  return { code, checks, of: (name: string) => checks.filter(({ check }) => check === name) }
}

test('a farm without faults: a line with ✔ for each check, exit code 0', async () => {
  const server = await nodeServer()
  try {
    server.saved.save({ farmName: (await server.bridge.status()).farmName })
    const headers = { Authorization: `Bearer ${server.key}` }
    expect((await fetch(`${server.url}/backups`, { method: 'POST', headers })).status).toBe(201)
    const { code, stdout, stderr } = await run(['doctor'], at(server))
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const lines = stdout.trim().split('\n')
    expect(lines.filter((line) => !line.startsWith('✔ '))).toEqual([])
    expect(lines).toContain('✔ backups: the last verified one is less than 2 hours old')
    expect(lines.map((line) => /^✔ ([^:]+):/.exec(line)?.[1])).toEqual(
      expect.arrayContaining(['farmgate', 'key', 'version', 'clock', 'game', 'night', 'backups']),
    )
  } finally {
    await server.stop()
  }
})

test('no answer, an answer that is not farmgate’s, and no key are named', async () => {
  const closed = await doctor({ FARMGATE_URL: nobody })
  expect(closed).toMatchObject({ code: 1 })
  expect(closed.of('farmgate')).toMatchObject([
    { state: 'broken', found: expect.stringContaining('ECONNREFUSED') },
  ])
  const other = await doctor({ FARMGATE_URL: await answering({ '/health': { body: 'hello' } }) })
  expect(other.of('farmgate')).toMatchObject([
    { state: 'broken', found: expect.stringContaining('not farmgate') },
  ])
  const without = await doctor({ FARMGATE_URL: await answering(farmWith(), strong) })
  expect(without.of('key')).toMatchObject([{ state: 'warning', found: 'none is given' }])
  const open = await doctor({ FARMGATE_URL: await answering(farmWith()) })
  expect(open.of('key')).toMatchObject([{ state: 'warning', found: expect.stringContaining('everybody') }])
})

test('farmgate’s own metrics tell of the ticket service when this machine does not reach it', async () => {
  const metrics = (lines: string[]) => lines.map((line) => `farmgate_ticket_service_${line}\n`).join('')
  const farm = async (...lines: string[]) =>
    doctor({
      FARMGATE_URL: await answering(farmWith({}, { '/metrics': { body: metrics(lines) } })),
      FARMGATE_KEY: strong,
    })
  const away = await farm('available 0', 'logged_in 0', 'token_days_remaining -1')
  expect(away.of('ticket service')).toMatchObject([{ state: 'broken' }])
  const late = await farm('available 1', 'logged_in 1', 'token_days_remaining 7')
  expect(late.of('Steam token')).toMatchObject([{ state: 'warning', found: 'it ends in 7 days' }])
})

test.each([
  ['that lasts', { logged_in: true, token_days_remaining: 150 }, 'ok', 'ok'],
  ['that ends soon', { logged_in: true, token_days_remaining: 12 }, 'ok', 'warning'],
  ['that has ended', { logged_in: false, token_days_remaining: 0 }, 'broken', 'broken'],
  ['of which nothing is known', { logged_in: true, token_days_remaining: null }, 'ok', 'warning'],
])('a Steam token %s', async (_, health, session, token) => {
  const PLATFORM_AUTH_URL = await answering({ '/health': { body: health } })
  const { of } = await doctor({ API_KEY: strong, API_PORT: '2', PLATFORM_AUTH_URL })
  expect(of('Steam session')).toMatchObject([{ state: session }])
  expect(of('Steam token')).toMatchObject([{ state: token }])
})

test('a ticket service that does not answer, and a wrong key of it, are named without the key', async () => {
  const away = await doctor({ API_KEY: strong, API_PORT: '2', PLATFORM_AUTH_URL: `${nobody}/hidden-key` })
  expect(away.of('ticket service')).toMatchObject([{ state: 'broken' }])
  expect(JSON.stringify(away.checks)).not.toContain('hidden-key')
  const wrong = await doctor({ API_KEY: strong, API_PORT: '2', PLATFORM_AUTH_URL: await answering({}) })
  expect(wrong.of('ticket service')).toMatchObject([
    { state: 'broken', found: expect.stringContaining('HTTP 404') },
  ])
})

test('a game server that does not answer, and one that refuses the key, are named', async () => {
  const game = await startGameServer({ key: strong })
  try {
    const base = { API_KEY: `${strong}2`, API_PORT: '2' }
    const right = await doctor({ ...base, GAME_API_URL: game.url, GAME_API_KEY: strong })
    expect(right.of('game server')).toMatchObject([{ state: 'ok' }])
    const wrong = await doctor({ ...base, GAME_API_URL: game.url, GAME_API_KEY: 'another' })
    expect(wrong.of('game server')).toMatchObject([
      { state: 'broken', found: expect.stringContaining('refuses') },
    ])
    const away = await doctor({ ...base, GAME_API_URL: nobody, GAME_API_KEY: strong })
    expect(away.of('game server')).toMatchObject([{ state: 'broken' }])
    const same = await doctor({
      API_KEY: strong,
      API_PORT: '2',
      GAME_API_URL: game.url,
      GAME_API_KEY: strong,
    })
    expect(same.of('API_KEY')).toContainEqual(
      expect.objectContaining({
        state: 'warning',
        found: expect.stringContaining('also the key of the game'),
      }),
    )
  } finally {
    await game.stop()
  }
})

test.each([
  ['a word', 'changeme-changeme-changeme'],
  ['few characters', 'aaaaaaaaaaaaaaaaaaaabbbb'],
])('a key of %s is told to be easy to guess', async (_, API_KEY) => {
  const { of } = await doctor({ API_KEY, API_PORT: '2' })
  expect(of('API_KEY')).toMatchObject([{ state: 'warning', mend: expect.stringContaining('openssl rand') }])
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

test('a port at which nothing or another program answers is named', async () => {
  const idle = await doctor({ API_KEY: strong, API_PORT: '2' })
  expect(idle.of('port')).toMatchObject([
    { state: 'warning', found: expect.stringContaining('nothing answers') },
  ])
  const { port } = new URL(await answering({ '/health': { body: 'hello' } }))
  const other = await doctor({ API_KEY: strong, API_PORT: port })
  expect(other.of('port')).toMatchObject([
    { state: 'broken', found: expect.stringContaining('another program') },
  ])
})

test('in the environment of farmgate the doctor looks at the farm that runs there', async () => {
  const server = await nodeServer()
  try {
    const { of } = await doctor({ API_KEY: server.key, API_PORT: String(server.port) })
    expect(of('port')).toMatchObject([{ state: 'ok' }])
    expect(of('key')).toMatchObject([{ state: 'ok' }])
  } finally {
    await server.stop()
  }
})

test('an edge that does not answer is named', async () => {
  const base = { API_KEY: strong, API_PORT: '2', EDGE_LINK_KEY: 'link' }
  expect((await doctor({ ...base, EDGE_URL: nobody })).of('edge')).toMatchObject([{ state: 'broken' }])
  const other = await doctor({ ...base, EDGE_URL: await answering({ '/health': { body: 'hello' } }) })
  expect(other.of('edge')).toMatchObject([{ state: 'broken', found: expect.stringContaining('not an edge') }])
})

test('folders that cannot be used and files that others can read are named', async () => {
  const XDG_CONFIG_HOME = temporaryFolder()
  mkdirSync(join(XDG_CONFIG_HOME, 'farmgate'))
  const profiles = join(XDG_CONFIG_HOME, 'farmgate', 'profiles.json')
  writeFileSync(profiles, JSON.stringify({ profiles: { default: { url: nobody, key: '' } } }))
  const keyFile = join(XDG_CONFIG_HOME, 'key')
  writeFileSync(keyFile, strong)
  const passphraseFile = join(XDG_CONFIG_HOME, 'passphrase')
  writeFileSync(passphraseFile, strong)
  for (const file of [profiles, keyFile, passphraseFile]) chmodSync(file, 0o644)
  const { of } = await doctor({
    XDG_CONFIG_HOME,
    API_KEY_FILE: keyFile,
    API_PORT: '2',
    DATA_DIR: join(keyFile, 'data'),
    SAVES_DIR: '/nowhere/saves',
    BACKUP_PASSPHRASE_FILE: passphraseFile,
  })
  expect(of('DATA_DIR')).toMatchObject([
    { state: 'broken', found: expect.stringContaining('cannot be written') },
  ])
  expect(of('SAVES_DIR')).toMatchObject([
    {
      state: 'broken',
      found: expect.stringContaining('/nowhere/saves cannot be read: there is no such folder'),
    },
  ])
  expect(of('API_KEY_FILE')).toMatchObject([{ state: 'warning', mend: `chmod 600 ${keyFile}` }])
  expect(of('BACKUP_PASSPHRASE_FILE')).toMatchObject([
    { state: 'warning', mend: `chmod 600 ${passphraseFile}` },
  ])
  expect(of('profiles')).toMatchObject([{ state: 'warning', mend: `chmod 600 ${profiles}` }])
})

test('published ports that should not be are named, in both forms that Docker prints', async () => {
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
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'printed'), printed)
    writeFileSync(join(folder, 'docker'), `#!/bin/sh\nexec cat ${join(folder, 'printed')}\n`, { mode: 0o755 })
    const PATH = `${folder}:${process.env['PATH']}`
    const { of } = await doctor({ FARMGATE_URL: nobody, PATH })
    expect(of('published ports').map(({ state }) => state)).toEqual([
      'broken',
      'broken',
      'warning',
      'warning',
    ])
  }
})

test('saves that can be backed up and restored, and storage that takes copies or refuses them, are rows', async () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'Saves'))
  const s3 = await startS3Server()
  onTestFinished(s3.stop)
  const env = {
    API_KEY: strong,
    API_PORT: '2',
    DATA_DIR: folder,
    SAVES_DIR: folder,
    BACKUP_S3_URL: s3.url,
    BACKUP_S3_ACCESS_KEY_ID: s3Key.accessKeyId,
    BACKUP_S3_SECRET_ACCESS_KEY: s3Key.secretAccessKey,
  }
  const right = await doctor(env)
  expect(right.of('SAVES_DIR')).toMatchObject([
    { state: 'ok', found: `${folder}: backups are made, and can be restored` },
  ])
  expect(right.of('BACKUP_S3_URL')).toMatchObject([
    {
      state: 'ok',
      found: expect.stringMatching(/takes copies of backups; they are plain: whoever reads them/),
    },
  ])
  expect((await doctor({ ...env, BACKUP_PASSPHRASE: strong })).of('BACKUP_S3_URL')).toMatchObject([
    { state: 'ok', found: expect.stringContaining('they are encrypted') },
  ])
  expect((await doctor({ ...env, BACKUP_S3_URL: `${s3.url}s` })).of('BACKUP_S3_URL')).toMatchObject([
    { state: 'broken', found: expect.stringContaining('does not exist (404 NoSuchBucket)') },
  ])
})
