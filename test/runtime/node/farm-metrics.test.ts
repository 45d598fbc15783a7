/** The series that only the farm's own process has. */

import { appendFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Registry } from 'prom-client'
import { expect, onTestFinished, test } from 'vitest'
import type { BackupList } from '../../../handlers/backup-list.ts'
import type { BackupRecord } from '../../../handlers/backup-record.ts'
import { measureRecords } from '../../../services/records/metrics.ts'
import { damagedBackup } from '../../backups/damaged-backup.ts'
import { savedFarm } from '../../backups/saved-farm.ts'
import { askWithKey } from '../../contract/request.ts'
import { newFolder } from '../../new-folder.ts'
import { s3Key, startS3Server } from '../../s3-server.ts'
import { eventually } from '../../wait.ts'
import { openedFarm } from './open-farm.ts'
import { samplesIn, scrape, seriesValue } from './scrape.ts'

const key = 'metrics-metrics-metrics-metrics'
const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }

test('the metrics of a farm count its keys, the commits of its records, and the audit by outcome', async () => {
  const { url } = await openedFarm({ API_KEY: key })
  const before = await scrape(url, key)
  expect(seriesValue(before, 'farmgate_keys')).toBe(0)
  const body = JSON.stringify({ name: 'bot', scopes: ['chat'] })
  expect((await fetch(`${url}/keys`, { method: 'POST', headers, body })).status).toBe(201)
  expect((await fetch(`${url}/time?value=1200`, { method: 'POST', headers })).status).toBe(200)
  expect((await fetch(`${url}/time?value=1`, { method: 'POST', headers })).status).toBe(400)
  const after = await scrape(url, key)
  const grown = (name: string) =>
    (seriesValue(after, name) ?? Number.NaN) - (seriesValue(before, name) ?? Number.NaN)
  expect(seriesValue(after, 'farmgate_keys')).toBe(1)
  expect(seriesValue(after, 'farmgate_audit_rows_total', { outcome: 'done' })).toBe(2)
  expect(seriesValue(after, 'farmgate_audit_rows_total', { outcome: 'refused' })).toBe(1)
  expect(seriesValue(after, 'farmgate_audit_rows_late_total')).toBe(0)
  expect(seriesValue(after, 'farmgate_records_on_disk')).toBe(1)
  expect(seriesValue(after, 'farmgate_records_failures_total')).toBe(0)
  expect(grown('farmgate_records_commits_total')).toBeGreaterThan(0)
  expect(grown('farmgate_records_commit_seconds_total')).toBeGreaterThan(0)
})

test('the metrics of a farm count the rows of its records, and show the delay of its event loop in seconds and its memory in bytes', async () => {
  const { url } = await openedFarm({ API_KEY: key })
  const body = JSON.stringify({ name: 'bot', scopes: ['chat'] })
  expect((await fetch(`${url}/keys`, { method: 'POST', headers, body })).status).toBe(201)
  expect((await fetch(`${url}/time?value=1200`, { method: 'POST', headers })).status).toBe(200)
  const samples = await scrape(url, key)
  expect(seriesValue(samples, 'farmgate_records_rows', { table: 'audit' })).toBe(2)
  expect(seriesValue(samples, 'farmgate_records_rows', { table: 'keys' })).toBe(1)
  expect(seriesValue(samples, 'farmgate_event_loop_delay_seconds')).toBeGreaterThanOrEqual(0)
  expect(seriesValue(samples, 'farmgate_resident_memory_bytes')).toBeGreaterThan(10_000_000)
})

test('the metrics are answered although the thread of the records does not answer', async () => {
  const registry = new Registry()
  measureRecords(
    registry,
    { state: 'failed', failures: 2, measured: async () => undefined },
    { named: undefined },
  )
  const samples = samplesIn(await registry.metrics())
  expect(seriesValue(samples, 'farmgate_records_on_disk')).toBe(0)
  expect(seriesValue(samples, 'farmgate_records_failures_total')).toBe(2)
  expect(seriesValue(samples, 'farmgate_records_rows', { table: 'audit' })).toBeUndefined()
})

const keyOfBackups = 'backups-backups-backups'

/** A farm that has backed up the save of its first day. */
async function backedUpFarm(env: Readonly<Record<string, string>> = {}) {
  const folder = join(newFolder(), 'backups')
  const savesDir = newFolder()
  const farmgate = await openedFarm({
    API_KEY: keyOfBackups,
    SAVES_DIR: savesDir,
    BACKUP_DIR: folder,
    // A night takes 0.4 s, a day more than a minute.
    SIM_SPEED: '10',
    RATE_LIMIT_READS: '0',
    RATE_LIMIT_WRITES: '0',
    ...env,
  })
  const ask = (method: string, path: string) =>
    askWithKey({ url: farmgate.url, key: keyOfBackups }, method, path)
  const list = async () => (await ask('GET', '/backups')).json as BackupList
  await eventually(async () => expect((await list()).backups).toHaveLength(1))
  /** The series without `farmgate_` whose names begin with `backup`. */
  const series = async () =>
    Object.fromEntries(
      (await scrape(farmgate.url, keyOfBackups))
        .filter(({ name }) => name.startsWith('farmgate_backup'))
        .map(({ name, value }) => [name.replace('farmgate_', ''), value]),
    )
  /** Changes the save; it stays whole and of the same day. */
  const changeSave = () => {
    for (const name of readdirSync(join(savesDir, 'Saves')).filter((one) => !one.startsWith('.')))
      appendFileSync(join(savesDir, 'Saves', name, 'SaveGameInfo'), '\n')
  }
  // The list has a backup a moment before it is counted.
  await eventually(async () => expect(await series()).toMatchObject({ backups_made_total: 1 }))
  return { folder, ask, list, series, changeSave }
}

/** When a backup was made, in seconds since 1970. */
const seconds = ({ madeAt }: Pick<BackupRecord, 'madeAt'>) => Date.parse(madeAt) / 1000

const withoutCopies = {
  backup_copies_made_total: 0,
  backup_copies_failed_total: 0,
  backup_copies_waiting: 0,
}

test('farmgate_backups counts the archives, farmgate_backups_made_total new ones, and the time of the last one is in seconds, 0 without one', async () => {
  const { ask, list, series, changeSave } = await backedUpFarm()
  const [first] = (await list()).backups
  expect(await series()).toEqual({
    backups: 1,
    backups_damaged: 0,
    backups_made_total: 1,
    backups_failed_total: 0,
    backups_removed_total: 0,
    backup_failing: 0,
    backup_last_verified_timestamp_seconds: seconds(first as BackupRecord),
    ...withoutCopies,
  })
  changeSave()
  const made = (await ask('POST', '/backups')).json as BackupRecord
  expect(await series()).toMatchObject({
    backups: 2,
    backups_made_total: 2,
    backup_last_verified_timestamp_seconds: seconds(made),
  })
  expect((await ask('DELETE', `/backups?id=${made.id}`)).status).toBe(200)
  // A person's deletion is not one of BACKUP_KEEP.
  expect(await series()).toMatchObject({ backups: 1, backups_made_total: 2, backups_removed_total: 0 })
  expect((await ask('DELETE', `/backups?id=${first?.id}`)).status).toBe(200)
  expect(await series()).toMatchObject({ backups: 0, backup_last_verified_timestamp_seconds: 0 })
})

test('farmgate_backups_failed_total counts each failed backup, and farmgate_backup_failing is 1 until one succeeds', async () => {
  const { folder, ask, series } = await backedUpFarm()
  rmSync(folder, { recursive: true })
  writeFileSync(folder, 'a file, not a folder')
  for (const failed of [1, 2]) {
    expect((await ask('POST', '/backups')).status).toBe(507)
    expect(await series()).toMatchObject({
      backups_made_total: 1,
      backups_failed_total: failed,
      backup_failing: 1,
    })
  }
  rmSync(folder)
  expect((await ask('POST', '/backups')).status).toBe(201)
  expect(await series()).toMatchObject({ backups_made_total: 2, backups_failed_total: 2, backup_failing: 0 })
})

test('farmgate_backups_removed_total counts deletions by BACKUP_KEEP', async () => {
  const { ask, list, series } = await backedUpFarm({ BACKUP_KEEP: 'days=1,weeks=0,months=0' })
  const [first] = (await list()).backups
  expect((await ask('POST', '/time?value=2600')).status).toBe(200)
  await eventually(async () =>
    expect(await series()).toMatchObject({ backups: 1, backups_made_total: 2, backups_removed_total: 1 }),
  )
  expect((await list()).backups.map(({ id }) => id)).not.toContain(first?.id)
})

test('farmgate_backups_damaged counts the archives that were damaged at their last check, until they are deleted', async () => {
  const savedBefore = savedFarm()
  onTestFinished(savedBefore.remove)
  const id = await damagedBackup(savedBefore)
  const farmgate = await openedFarm({
    API_KEY: keyOfBackups,
    BACKUP_DIR: savedBefore.folder,
    RATE_LIMIT_READS: '0',
  })
  const damaged = async () =>
    (await scrape(farmgate.url, keyOfBackups)).find(({ name }) => name === 'farmgate_backups_damaged')?.value
  await eventually(async () => expect(await damaged()).toBe(1))
  const removed = await askWithKey({ url: farmgate.url, key: keyOfBackups }, 'DELETE', `/backups?id=${id}`)
  expect([removed.status, await damaged()]).toEqual([200, 0])
})

test('farmgate_backup_copies_… count pending, failed and finished off-site copies', async () => {
  const offline = await startS3Server()
  await offline.stop()
  const { ask, series, changeSave } = await backedUpFarm({
    BACKUP_S3_URL: offline.url,
    BACKUP_S3_ACCESS_KEY_ID: s3Key.accessKeyId,
    BACKUP_S3_SECRET_ACCESS_KEY: s3Key.secretAccessKey,
  })
  await eventually(async () =>
    expect(await series()).toMatchObject({
      backup_copies_waiting: 1,
      backup_copies_failed_total: 1,
      backup_copies_made_total: 0,
    }),
  )
  changeSave()
  expect((await ask('POST', '/backups')).status).toBe(201)
  expect(await series()).toMatchObject({ backups: 2, backup_copies_waiting: 2, backup_failing: 0 })
  const storage = await startS3Server(Number(new URL(offline.url).port))
  onTestFinished(() => storage.stop())
  await eventually(async () =>
    expect(await series()).toMatchObject({ backup_copies_waiting: 0, backup_copies_made_total: 2 }),
  )
  expect((await series())['backup_copies_failed_total']).toBeGreaterThanOrEqual(1)
})
