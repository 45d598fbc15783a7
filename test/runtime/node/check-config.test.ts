/** The checks of `--check-config` and the doctor for saves and backups. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { placeProblems } from '../../../runtime/node/check-config.ts'
import { newFolder } from '../../new-folder.ts'
import { type S3Server, s3Key, startS3Server } from '../../s3-server.ts'
import { serve } from './farmgate-process.ts'

const key = 'check-places-check-places'
let folder = ''
const at = (...parts: string[]) => join(folder, ...parts)
beforeEach(() => {
  folder = newFolder()
})

const problems = (env: Record<string, string>) =>
  placeProblems({
    env: { API_KEY: key, GAME_API_URL: 'http://127.0.0.1:2', DATA_DIR: at('data'), ...env },
    readFile: () => {
      throw new Error('no file is named')
    },
  })
const reported = async (env: Record<string, string>) =>
  (await problems(env)).map(({ variable, problem }) => `${variable}: ${problem}`)

describe('SAVES_DIR', () => {
  test('with Saves can be used, and so can an empty one, in which the game has not saved yet', async () => {
    mkdirSync(at('game'))
    expect(await reported({ SAVES_DIR: at('game') })).toEqual([])
    mkdirSync(at('game', 'Saves'))
    expect(await reported({ SAVES_DIR: at('game') })).toEqual([])
  })

  test('that is missing, is not a folder, or is Saves itself is named, with what to do', async () => {
    expect(await reported({ SAVES_DIR: at('nothing') })).toEqual([
      'SAVES_DIR: cannot be read: there is no such folder; mount it (ENOENT)',
    ])
    writeFileSync(at('file'), '')
    expect(await reported({ SAVES_DIR: at('file') })).toEqual([
      'SAVES_DIR: cannot be read: it is not a folder (ENOTDIR)',
    ])
    mkdirSync(at('game', 'Saves', 'Clover_123456789'), { recursive: true })
    expect(await reported({ SAVES_DIR: at('game', 'Saves') })).toEqual([
      'SAVES_DIR: has no folder Saves: name the folder that holds it, and not itself',
    ])
  })

  test('of a simulated farm, which saves there, must be writable, and can be missing', async () => {
    const simulated = { GAME_API_URL: '' }
    expect(await reported({ ...simulated, SAVES_DIR: at('game') })).toEqual([])
    expect(existsSync(at('game'))).toBe(false)
    writeFileSync(at('file'), '')
    expect(await reported({ ...simulated, SAVES_DIR: at('file') })).toEqual([
      expect.stringMatching(/^SAVES_DIR: cannot be used: it is not a folder that this user may write to/),
    ])
  })
})

describe('BACKUP_DIR', () => {
  test('that can be made is right, and is not made', async () => {
    expect(await reported({ BACKUP_DIR: at('a', 'backups') })).toEqual([])
    expect(readdirSync(folder)).toEqual([])
  })

  test('that cannot be written to is named', async () => {
    writeFileSync(at('file'), '')
    expect(await reported({ BACKUP_DIR: at('file', 'backups') })).toEqual([
      expect.stringMatching(/^BACKUP_DIR: cannot be used: .*; no backup could be made$/),
    ])
  })

  test('inside the folder Saves, where farmgate must leave nothing, is named', async () => {
    mkdirSync(at('game', 'Saves'), { recursive: true })
    for (const BACKUP_DIR of [at('game', 'Saves'), at('game', 'Saves', 'backups')])
      expect(await reported({ SAVES_DIR: at('game'), BACKUP_DIR })).toEqual([
        'BACKUP_DIR: lies in the folder Saves of SAVES_DIR, where the game looks for farms: use another one',
      ])
    expect(await reported({ SAVES_DIR: at('game'), BACKUP_DIR: at('game', 'backups') })).toEqual([])
  })
})

describe('BACKUP_S3_URL', () => {
  let s3: S3Server
  beforeAll(async () => {
    s3 = await startS3Server()
  })
  afterAll(() => s3.stop())
  const keys = {
    BACKUP_S3_ACCESS_KEY_ID: s3Key.accessKeyId,
    BACKUP_S3_SECRET_ACCESS_KEY: s3Key.secretAccessKey,
  }

  test('that accepts copies is right, and nothing is left there', async () => {
    expect(await reported({ ...keys, BACKUP_S3_URL: `${s3.url}/checked` })).toEqual([])
    expect(s3.objects('checked')).toEqual([])
  })

  test("with a wrong bucket, key or secret is reported with the log's message, without the secret", async () => {
    const wrong = { ...keys, BACKUP_S3_SECRET_ACCESS_KEY: 'canary' }
    expect(await reported({ ...wrong, BACKUP_S3_URL: s3.url })).toEqual([
      'BACKUP_S3_URL: cannot be used: BACKUP_S3_SECRET_ACCESS_KEY or BACKUP_S3_REGION is wrong (403 SignatureDoesNotMatch)',
    ])
    expect(await reported({ ...keys, BACKUP_S3_URL: s3.url.replace('/farm', '/other') })).toEqual([
      'BACKUP_S3_URL: cannot be used: the bucket in BACKUP_S3_URL does not exist (404 NoSuchBucket)',
    ])
  })

  test('without a server is reported', async () => {
    expect(await reported({ ...keys, BACKUP_S3_URL: 'http://127.0.0.1:2/farm' })).toEqual([
      'BACKUP_S3_URL: cannot be used: connection refused',
    ])
  })

  test('is not checked while one of its variables is wrong or missing', async () => {
    const url = 'http://127.0.0.1:2/farm'
    expect(await reported({ BACKUP_S3_URL: url })).toEqual([])
    expect(await reported({ ...keys, BACKUP_S3_ACCESS_KEY_ID: 'wröng', BACKUP_S3_URL: url })).toEqual([])
  })
})

test('--check-config reports every unusable place and every wrong variable at once, and exits with 78', async () => {
  writeFileSync(at('file'), '')
  const { exited, stderr } = await serve(
    {
      API_PORT: 'x',
      GAME_API_URL: 'http://127.0.0.1:2',
      DATA_DIR: at('file', 'data'),
      SAVES_DIR: at('nothing'),
      BACKUP_DIR: at('file', 'backups'),
      BACKUP_PASSPHRASE_FILE: at('no-such-file'),
      BACKUP_S3_URL: 'http://127.0.0.1:2/farm',
      BACKUP_S3_ACCESS_KEY_ID: 'id',
      BACKUP_S3_SECRET_ACCESS_KEY: 'canary',
    },
    '--check-config',
  )
  expect((await exited).code).toBe(78)
  const lines = stderr().trim().split('\n')
  expect(lines.map((line) => line.split(':')[0]).sort()).toEqual([
    'API_KEY',
    'API_PORT',
    'BACKUP_DIR',
    'BACKUP_PASSPHRASE_FILE',
    'BACKUP_S3_URL',
    'DATA_DIR',
    'SAVES_DIR',
  ])
  expect(stderr()).not.toContain('canary')
})
