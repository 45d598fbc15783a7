/** The doctor's checks of the programs that a farm needs: ticket service, game server, edge, storage of copies. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startIssuer } from '../accounts/issuer.ts'
import { startGameServer } from '../game-server/game-server.ts'
import { s3Key, startS3Server } from '../s3-server.ts'
import { asCheck, doctor, strong, unusedUrl } from './doctor.ts'
import { newFolder } from './farmgate.ts'
import { answering, healthWith } from './faulty.ts'

const signIn = 'Sign in: docker compose run --rm ticket login'

test.each([
  ['that lasts', { logged_in: true, token_days_remaining: 150 }, 'ok', 'ok'],
  ['with an unknown end', { logged_in: true, token_days_remaining: null }, 'ok', 'warning'],
])('a Steam token %s', async (_, health, session, token) => {
  const PLATFORM_AUTH_URL = await answering({ '/health': { body: health } })
  const { of } = await doctor({ API_KEY: strong, API_PORT: '2', PLATFORM_AUTH_URL })
  expect(of('Steam session')).toMatchObject([{ state: session }])
  expect(of('Steam token')).toMatchObject([{ state: token }])
})

test('an unreachable ticket service, and a wrong key of it, are named without the key', async () => {
  const offline = await doctor({
    API_KEY: strong,
    API_PORT: '2',
    PLATFORM_AUTH_URL: `${unusedUrl}/hidden-key`,
  })
  expect(offline.of('ticket service')).toMatchObject([{ state: 'broken' }])
  expect(JSON.stringify(offline.checks)).not.toContain('hidden-key')
  const wrong = await doctor({ API_KEY: strong, API_PORT: '2', PLATFORM_AUTH_URL: await answering({}) })
  expect(wrong.of('ticket service')).toMatchObject([
    { state: 'broken', found: expect.stringContaining('HTTP 404') },
  ])
})

test('an unreachable game server is named, and one that answers is right', async () => {
  const game = await startGameServer({ key: strong })
  try {
    const base = { API_KEY: `${strong}2`, API_PORT: '2' }
    const right = await doctor({ ...base, GAME_API_URL: game.url, GAME_API_KEY: strong })
    expect(right.of('game server')).toMatchObject([{ state: 'ok' }])
    const offline = await doctor({ ...base, GAME_API_URL: unusedUrl, GAME_API_KEY: strong })
    expect(offline.of('game server')).toMatchObject([{ state: 'broken' }])
  } finally {
    await game.stop()
  }
})

test('saves that can be backed up and restored, and storage that takes copies or refuses them, are rows', async () => {
  const folder = newFolder()
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
      found: expect.stringMatching(/takes copies of backups; they are plain: anyone who reads them/),
    },
  ])
  expect((await doctor({ ...env, BACKUP_PASSPHRASE: strong })).of('BACKUP_S3_URL')).toMatchObject([
    { state: 'ok', found: expect.stringContaining('they are encrypted') },
  ])
  expect((await doctor({ ...env, BACKUP_S3_URL: `${s3.url}s` })).of('BACKUP_S3_URL')).toMatchObject([
    { state: 'broken', found: expect.stringContaining('does not exist (404 NoSuchBucket)') },
  ])
})

test.each([
  ['is another program', 'hello', 'ticket service', 'broken', /is not it, or its key is wrong \(HTTP 200\)/],
  ['does not say how long its token lasts', { logged_in: true }, 'Steam token', 'warning', /not known/],
] as const)('a ticket service that %s is reported with its fix', async (_, body, name, state, found) => {
  const PLATFORM_AUTH_URL = await answering({ '/health': { body } })
  const reported = await doctor({ API_KEY: strong, PLATFORM_AUTH_URL })
  const fix = name === 'Steam token' ? /log of the ticket service/ : /PLATFORM_AUTH_URL/
  expect(reported.faults).toContainEqual({
    check: name,
    state,
    found: expect.stringMatching(found),
    fix: expect.stringMatching(fix),
  })
})

test('faults of a game server, a ticket service, an edge, a link and a port are reported with their fixes', async () => {
  const { faults } = await doctor({
    API_KEY: 'aaaaaaaaaaaaaaaaaaaabbbb',
    API_PORT: new URL(await answering({ '/health': { body: 'hello' } })).port,
    GAME_API_URL: await answering({ '/players': { status: 500 } }),
    GAME_API_KEY: 'aaaaaaaaaaaaaaaaaaaabbbb',
    PLATFORM_AUTH_URL: await answering({
      '/health': { body: { logged_in: false, token_days_remaining: 0 } },
    }),
    EDGE_URL: await answering({ '/health': { body: healthWith() }, '/link': { status: 401 } }),
    EDGE_LINK_KEY: 'link-key-that-is-long-enough',
  })
  expect(faults.slice(0, 7)).toEqual([
    asCheck([
      'API_KEY',
      'warning',
      /easier to guess than a random key/,
      'Use 32 random bytes: openssl rand -base64 32',
    ]),
    asCheck([
      'API_KEY',
      'warning',
      /also the key of the game server/,
      'Give clients a separate key: then a leaked one can be replaced without the game server.',
    ]),
    asCheck(['port', 'broken', /another program answers/, 'Stop it, or set API_PORT to a free port.']),
    asCheck([
      'game server',
      'broken',
      /answers HTTP 500 to \/players/,
      'Check GAME_API_URL, and the version of its image.',
    ]),
    asCheck(['Steam session', 'broken', /not signed in/, signIn]),
    asCheck(['Steam token', 'broken', /it has ended/, signIn]),
    asCheck([
      'link',
      'broken',
      /does not accept EDGE_LINK_KEY/,
      'Set it to the LINK_KEY of the Worker, or to the linkKey of this farm.',
    ]),
  ])
})

test('further faults of the same parts are reported with their fixes', async () => {
  const { faults } = await doctor({
    API_KEY: strong,
    API_PORT: '2',
    GAME_API_URL: await answering({ '/players': { status: 401 } }),
    GAME_API_KEY: `${strong}2`,
    PLATFORM_AUTH_URL: await answering({ '/health': { body: { logged_in: true, token_days_remaining: 7 } } }),
    EDGE_URL: await answering({ '/health': { body: 'hello' } }),
    EDGE_LINK_KEY: 'link-key-that-is-long-enough',
  })
  expect(faults.slice(1, 4)).toEqual([
    asCheck([
      'game server',
      'broken',
      /refuses GAME_API_KEY/,
      "Set GAME_API_KEY to the API_KEY of the game server's own environment.",
    ]),
    asCheck(['Steam token', 'warning', /ends in 7 days/, signIn]),
    asCheck([
      'edge',
      'broken',
      /is not an edge of farmgate \(HTTP 200\)/,
      'Check EDGE_URL, with the path of the farm.',
    ]),
  ])
})

test('sign-in is one line: not set up, right, or what is wrong', async () => {
  const base = { API_KEY: strong, API_PORT: '2' }
  expect((await doctor(base)).of('sign-in')).toEqual([
    { check: 'sign-in', state: 'ok', found: 'Sign-in is not set up: people use keys' },
  ])
  const issuer = await startIssuer()
  onTestFinished(() => issuer.stop())
  const page = await answering({ '/sign-in': { body: { providers: [{ id: 'oidc' }] } } })
  const set = {
    ...base,
    PUBLIC_URL: page,
    SIGN_IN_OIDC_ISSUER: issuer.url,
    SIGN_IN_OIDC_CLIENT_ID: 'farmgate',
    SIGN_IN_OIDC_CLIENT_SECRET: strong,
  }
  expect((await doctor(set)).of('sign-in')).toMatchObject([{ state: 'ok' }])
  expect((await doctor({ ...set, PUBLIC_URL: unusedUrl })).of('sign-in')).toMatchObject([
    { state: 'warning', found: expect.stringContaining('PUBLIC_URL') },
  ])
  expect((await doctor({ ...set, SIGN_IN_OIDC_ISSUER: unusedUrl })).of('sign-in')).toMatchObject([
    { state: 'broken', found: expect.stringContaining('does not answer') },
  ])
  issuer.description = (described) => void Object.assign(described, { issuer: 'https://other.example' })
  expect((await doctor(set)).of('sign-in')).toMatchObject([
    { state: 'broken', found: expect.stringContaining('https://other.example') },
  ])
  const { PUBLIC_URL: _, ...without } = set
  expect((await doctor(without)).of('PUBLIC_URL')).toMatchObject([{ state: 'broken' }])
})
