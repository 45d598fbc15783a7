/** What is in `BACKUP_DIR`, and how it is managed (docs/backups.md, "What is in one"). */
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import type { BackupRecord } from '../../../handlers/backup-record.ts'
import { archivePath } from '../../../services/backups/backup-index.ts'
import type { OpenBackups } from '../../../services/backups/open-backups.ts'
import { backupsOf, savedFarm } from '../../backups/saved-farm.ts'
import { eventually } from '../../wait.ts'
import { aGame } from './a-game.ts'
import { summer, watchedFarm } from './watched-farm.ts'

let watched: ReturnType<typeof watchedFarm>
let made: BackupRecord[]
const list = async ({ port }: OpenBackups) => (await port.backups()).backups
const path = (name: string) => join(watched.farm.folder, name)

/** Two backups, and a process that has ended. */
beforeEach(async () => {
  watched = watchedFarm()
  const backups = watched.open()
  for (const day of [5, 6]) {
    watched.farm.save({ date: summer(day) })
    watched.clock.advance(60_000)
    await backups.port.makeBackup()
  }
  made = await list(backups)
  await backups.close()
})

test('the folder has mode 0700, an archive 0600', () => {
  const mode = (name: string) => statSync(path(name)).mode & 0o777
  expect([mode(''), mode(`${made[0]?.id}.zip`), mode('index.json')]).toEqual([0o700, 0o600, 0o600])
})

test.each([
  ['lost', () => rmSync(path('index.json'))],
  ['torn', () => truncateSync(path('index.json'), 100)],
  ['full of zeros', () => writeFileSync(path('index.json'), Buffer.alloc(500))],
  ['of another program', () => writeFileSync(path('index.json'), '{"backups":[{}]}')],
])('an index that is %s is rebuilt from the archives, which are verified again', async (_what, damage) => {
  damage()
  watched.clock.advance(60_000)
  const backups = watched.open()
  const verifiedAt = '2026-11-21T12:03:00.000Z'
  await eventually(async () =>
    expect(await list(backups)).toEqual(made.map((one) => ({ ...one, verifiedAt }))),
  )
  await backups.close()
  const next = watched.open()
  expect((await list(next)).map((one) => one.verifiedAt)).toEqual([verifiedAt, verifiedAt])
})

test('an index from before the rename of `elsewhere` is read: no archive is verified or copied a second time', async () => {
  const index = readFileSync(path('index.json'), 'utf8').replaceAll('"offsite":"none"', '"elsewhere":"done"')
  expect(index).toContain('elsewhere')
  writeFileSync(path('index.json'), index)
  watched.clock.advance(60_000)
  expect(await list(watched.open())).toEqual(made.map((one) => ({ ...one, offsite: 'done' })))
})

test('backups made after the clock was set back are the newest, also without the index, and none is removed', async () => {
  const ahead = watched.clock.now() + 365 * 86_400_000
  const atTime = (now: () => number) =>
    watched.open({ clock: { ...watched.clock, now }, keep: { days: 2, weeks: 0, months: 0 } })
  const nights = async (now: () => number, days: readonly number[]) => {
    const backups = atTime(now)
    for (const day of days) {
      watched.farm.save({ date: summer(day) })
      watched.controls.day(summer(day))
      await eventually(async () => expect((await backups.days())[0]).toBe(day))
      watched.controls.night()
    }
    await backups.close()
  }
  await nights(() => ahead, [7, 8, 9])
  let time = watched.clock.now()
  await nights(() => (time += 1000), [10, 11, 12])
  rmSync(path('index.json'))
  const next = watched.open()
  expect(await next.days()).toEqual([12, 11, 6, 5])
})

test('a link to nothing among the archives hides no other backup', async () => {
  symlinkSync(path('nowhere'), path('linked.zip'))
  expect(await list(watched.open())).toEqual(made)
})

test('an index that cannot be read is not taken for an empty one, which would forget the removed backups', async () => {
  rmSync(path('index.json'))
  symlinkSync('index.json', path('index.json'))
  const backups = watched.open()
  await expect(list(backups)).rejects.toMatchObject({ failure: { kind: 'disk_failed', detail: 'ELOOP' } })
})

test.each([
  ['cut off', (bytes: Buffer) => bytes.subarray(0, -100)],
  ['empty', () => Buffer.alloc(0)],
  ['longer than it was', (bytes: Buffer) => Buffer.concat([bytes, Buffer.from('x')])],
])(
  'an archive that is %s stays in the list and is no longer verified, and the log names it',
  async (_what, change) => {
    const [{ id } = { id: '' }] = made
    const archive = archivePath(watched.farm.folder, id)
    writeFileSync(archive, change(readFileSync(archive)))
    const backups = watched.open()
    await eventually(() => expect(JSON.stringify(watched.log)).toContain('a backup is damaged'))
    expect((await list(backups)).map((one) => [one.id, one.verifiedAt !== undefined])).toEqual([
      [id, false],
      [made[1]?.id, true],
    ])
    expect(watched.log.filter(({ level }) => level === 'warn')).toMatchObject([{ fields: { id } }])
  },
)

test('the leftovers of a killed process are removed at the next start, and nothing else', async () => {
  writeFileSync(path('.making-Clover-y1-summer-07-20261121T120000000Z'), 'half an archive')
  writeFileSync(path('.index.json.new'), 'half an index')
  writeFileSync(path('notes.txt'), 'of the operator')
  writeFileSync(path('other.zip'), 'no backup of farmgate')
  mkdirSync(path('folder.d'))
  const backups = watched.open()
  expect(await list(backups)).toEqual(made)
  watched.farm.saveAgain()
  await backups.port.makeBackup()
  expect(readdirSync(watched.farm.folder).filter((name) => !/^Clover-.*\.zip$/.test(name))).toEqual([
    'folder.d',
    'index.json',
    'notes.txt',
    'other.zip',
  ])
})

test('an archive that was put into the folder is listed, and verified at the next start', async () => {
  const [, old] = made
  const copy = path('copied.zip')
  copyFileSync(archivePath(watched.farm.folder, old?.id ?? ''), copy)
  rmSync(archivePath(watched.farm.folder, old?.id ?? ''))
  const backups = watched.open()
  await eventually(async () =>
    expect(await list(backups)).toMatchObject([
      made[0],
      { id: 'copied', day: 5, verifiedAt: expect.any(String) },
    ]),
  )
})

test('an archive that was removed from the folder is no longer listed', async () => {
  const backups = watched.open()
  expect(await list(backups)).toEqual(made)
  rmSync(archivePath(watched.farm.folder, made[0]?.id ?? ''))
  expect(await list(backups)).toEqual(made.slice(1))
})

test('before the first save of a new farm its mounted folder is empty: there is no backup, and none to make', async () => {
  const farm = savedFarm()
  onTestFinished(farm.remove)
  mkdirSync(farm.savesDir)
  const backups = backupsOf(farm, aGame().game)
  onTestFinished(backups.close)
  expect(await backups.port.backups()).toEqual({
    backups: [],
    state: { saves: 'mounted', nextAfter: 'game day' },
  })
  await expect(backups.port.makeBackup()).rejects.toMatchObject({
    failure: {
      kind: 'unsupported',
      by: 'farmgate',
      what: 'make a backup: SAVES_DIR has no save of this farm',
    },
  })
})
