import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { newFolder } from '../../new-folder.ts'
import { s3Key, startS3Server } from '../../s3-server.ts'
import { faultyStorage, refusal } from '../../services/backups/storage.ts'
import { eventually } from '../../wait.ts'
import { serving } from './farmgate-process.ts'
import { openedFarm } from './open-farm.ts'

const canary = 'CANARY'
const key = `api-${canary}-0123456789`
const passphrase = `passphrase-${canary}-0123456789`

function folders() {
  const folder = newFolder()
  return { DATA_DIR: join(folder, 'data'), SAVES_DIR: join(folder, 'saves') }
}

const environment = (url: string, keys = s3Key) => ({
  ...folders(),
  API_KEY: key,
  BACKUP_S3_URL: `${url}/prefix`,
  BACKUP_S3_ACCESS_KEY_ID: keys.accessKeyId,
  BACKUP_S3_SECRET_ACCESS_KEY: keys.secretAccessKey,
  LOG_LEVEL: 'trace',
  RATE_LIMIT_READS: '0',
  RATE_LIMIT_WRITES: '0',
})

async function ask(url: string, method = 'GET') {
  const response = await fetch(`${url}/backups`, { method, headers: { authorization: `Bearer ${key}` } })
  // The backup of the first day can be that of the same save.
  expect(response.status).toBeOneOf(method === 'POST' ? [200, 201] : [200])
  return (await response.json()) as unknown
}

const copied = (state: 'done' | 'failed') => ({
  backups: expect.arrayContaining([expect.objectContaining({ offsite: state })]),
})

test('a copy whose upload was interrupted by kill -9 is made at the next start, which also undoes a killed import', async () => {
  const half = Promise.withResolvers<void>()
  const hanging = await faultyStorage((request) => void request.once('data', () => half.resolve()))
  const env = environment(hanging)
  const killed = await serving(env)
  await eventually(() => ask(killed.url, 'POST').then(() => true))
  await half.promise
  killed.signal('SIGKILL')
  await killed.exited
  const server = await startS3Server()
  onTestFinished(() => server.stop())
  writeFileSync(join(env.DATA_DIR, 'records.db.farmgate-import-Thistle_1'), 'records of Thistle')
  const next = await openedFarm({ ...env, BACKUP_S3_URL: `${server.url}/prefix` })
  expect(next.log.map(({ message }) => message)).toContain(
    'an import was interrupted and is undone: nothing of it was added',
  )
  expect(readdirSync(env.DATA_DIR).filter((file) => file.includes('import'))).toEqual([])
  await eventually(async () => {
    const { backups } = (await ask(next.url)) as { backups: { id: string; offsite: string }[] }
    expect(backups.map(({ offsite }) => offsite)).toEqual(backups.map(() => 'done'))
    expect([...server.objects('prefix')].sort()).toEqual(backups.map(({ id }) => `${id}.zip`).sort())
    expect(backups).not.toEqual([])
  })
})

test('neither the secret of the storage nor the passphrase appears in a log, an answer, a metric or a request, also when the storage echoes its requests', async () => {
  const secretAccessKey = `secret-${canary}-0123456789`
  const sent: string[] = []
  const storage = await faultyStorage((request, response) => {
    sent.push(JSON.stringify(request.headers))
    const repeated = `${sent.at(-1)} ${secretAccessKey} ${passphrase}`
    request.resume().on('end', () => response.writeHead(400).end(refusal(repeated, repeated)))
  })
  const farmgate = await serving({
    ...environment(storage, { accessKeyId: `id-${canary}-0123`, secretAccessKey }),
    BACKUP_PASSPHRASE: passphrase,
  })
  await eventually(() => ask(farmgate.url, 'POST').then(() => true))
  // The third failure is logged; it comes 15 s after the first at most.
  await farmgate.said(/backups cannot be copied off-site: farmgate keeps trying/)
  await eventually(async () => expect(await ask(farmgate.url)).toMatchObject(copied('failed')))
  expect(sent).toHaveLength(3)
  expect(sent.join()).not.toContain(secretAccessKey)
  const reported = [JSON.stringify(await ask(farmgate.url))]
  for (const path of ['/metrics', '/health', '/openapi.json'])
    reported.push(
      await (await fetch(farmgate.url + path, { headers: { authorization: `Bearer ${key}` } })).text(),
    )
  farmgate.signal('SIGTERM')
  expect((await farmgate.exited).code).toBe(0)
  expect(reported.join() + farmgate.stdout() + farmgate.stderr()).not.toContain(canary)
})

test('a copy that the storage accepts and never confirms does not delay SIGTERM: exit code 0, and the records are closed', async () => {
  const taken = Promise.withResolvers<void>()
  const hanging = await faultyStorage((request) => void request.once('data', () => taken.resolve()))
  const env = environment(hanging)
  const farmgate = await serving(env)
  await eventually(() => ask(farmgate.url, 'POST').then(() => true))
  await taken.promise
  farmgate.signal('SIGTERM')
  expect(await farmgate.exited).toEqual({ code: 0, signal: null })
  expect(farmgate.stdout()).not.toContain('was not closed in order')
  // SQLite removes this file when the database is closed.
  expect(existsSync(join(env.DATA_DIR, 'records.db-wal'))).toBe(false)
})
