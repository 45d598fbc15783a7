/** Archives of other programs in `BACKUP_DIR`: SMAPI's own, and zips of a player's save. */
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { beforeEach, expect, test } from 'vitest'
import { ZipFile } from 'yazl'
import { type GameSave, savingSteps } from '../../../bridges/simulated/save-files.ts'
import { craftedZip } from '../../backups/crafted-zip.ts'
import { clover } from '../../backups/saved-farm.ts'
import { farmToRestore } from './farm-to-restore.ts'
import { name, started, summer } from './loading-game.ts'

/** The name that SMAPI gives it. */
const archive = '2026-11-21 - SMAPI 4.3.2 with Stardew Valley 1.6.15'
const madeAt = new Date('2026-11-21T04:05:06.000Z')
const thistle = { farmName: 'Thistle', farmId: 987_654_321 }

let farm: ReturnType<typeof farmToRestore>
beforeEach(() => {
  farm = farmToRestore()
  farm.saved.save(summer(9))
  mkdirSync(farm.saved.folder)
})
const path = () => join(farm.saved.folder, `${archive}.zip`)

/** Puts an archive with saves into `BACKUP_DIR`. @param around the path in front of the folders of the saves */
async function put(saves: readonly Partial<GameSave>[], around = ''): Promise<void> {
  const from = join(farm.saved.savesDir, 'elsewhere')
  for (const save of saves) for (const { run } of savingSteps(from, { ...clover, ...save })) run()
  const zip = new ZipFile()
  for (const file of readdirSync(from, { recursive: true, withFileTypes: true }))
    if (file.isFile())
      zip.addBuffer(
        readFileSync(join(file.parentPath, file.name)),
        `${around}${join(file.parentPath, file.name).slice(from.length + 1)}`,
      )
  zip.end()
  writeFileSync(path(), await buffer(zip.outputStream))
  utimesSync(path(), madeAt, madeAt)
  rmSync(from, { recursive: true })
}

test.each(['', 'Saves/'])(
  "SMAPI's own archive with %j before its folders is listed, shown by a dry run and restored",
  async (around) => {
    await put([summer(5)], around)
    const { game, port, close } = started(farm.saved, farm.log)
    const [listed] = (await port.backups()).backups
    expect(listed).toEqual({
      id: archive,
      madeAt: madeAt.toISOString(),
      reason: 'manual',
      save: name,
      farmName: 'Clover',
      season: 'summer',
      day: 5,
      year: 1,
      bytes: expect.any(Number),
      offsite: 'none',
    })
    expect((await port.restoreBackup(archive, true))?.message).toContain('would be restored; 4 game days')
    expect(farm.day()).toBe(9)
    const restored = await port.restoreBackup(archive, false)
    expect([restored?.message, farm.day(), game.loads, readdirSync(farm.saved.saves)]).toEqual([
      expect.stringContaining('Clover, summer 5, year 1, is restored'),
      5,
      1,
      [name],
    ])
    await close()
  },
)

test('an archive with several farms is one backup for each; the one of the played farm is restored', async () => {
  await put([summer(5), { ...thistle, ...summer(3) }])
  const { port, close } = started(farm.saved, farm.log)
  const ids = (await port.backups()).backups.map(({ id, farmName }) => [id, farmName]).sort()
  const own = `${archive} ${name}`
  expect(ids).toEqual([
    [own, 'Clover'],
    [`${archive} Thistle_987654321`, 'Thistle'],
  ])
  await expect(port.restoreBackup(`${archive} Thistle_987654321`, false)).rejects.toMatchObject({
    failure: { kind: 'restore_refused' },
  })
  await port.restoreBackup(own, false)
  expect([farm.day(), readdirSync(farm.saved.saves)]).toEqual([5, [name]])
  const piece = await port.readBackup(own, 0, 2)
  expect(String(piece?.piece)).toBe('PK')
  expect(await port.removeBackup(own)).toBe(true)
  expect((await port.backups()).backups.map(({ reason }) => reason)).toEqual(['before_restore'])
  expect(readdirSync(farm.saved.folder)).not.toContain(`${archive}.zip`)
  await close()
})

test('the rule never removes such an archive, and the list has it again after the index was lost', async () => {
  await put([summer(5)])
  const first = started(farm.saved, farm.log)
  for (let made = 0; made < 3; made += 1) {
    farm.saved.saveAgain()
    await first.port.makeBackup()
  }
  await first.close()
  rmSync(join(farm.saved.folder, 'index.json'))
  const next = started(farm.saved, farm.log)
  expect((await next.port.backups()).backups.map(({ id }) => id)).toContain(archive)
  await next.close()
})

test('an archive that is still being copied there is listed once it is whole; until then the log says why not', async () => {
  await put([summer(5)])
  const whole = readFileSync(path())
  writeFileSync(path(), whole.subarray(0, whole.length / 2))
  const { port, close } = started(farm.saved, farm.log)
  const strange = () => farm.log.filter(({ message }) => message === 'an archive in BACKUP_DIR is not listed')
  expect((await port.backups()).backups).toEqual([])
  await port.backups()
  expect(strange()).toMatchObject([
    { level: 'warn', fields: { archive, cause: expect.stringMatching(/\S/) } },
  ])
  writeFileSync(path(), whole)
  expect((await port.backups()).backups.map(({ id }) => id)).toEqual([archive])
  await close()
})

test('a zip without a save is not listed, and the log says so once', async () => {
  const zip = new ZipFile()
  zip.addBuffer(Buffer.from('hello'), 'readme.txt')
  zip.end()
  writeFileSync(join(farm.saved.folder, 'readme.zip'), await buffer(zip.outputStream))
  const { port, close } = started(farm.saved, farm.log)
  await port.makeBackup()
  farm.saved.saveAgain()
  await port.makeBackup()
  expect((await port.backups()).backups).toHaveLength(2)
  expect(farm.log.filter(({ level }) => level === 'warn')).toEqual([
    {
      level: 'warn',
      fields: { archive: 'readme', cause: 'it has no save' },
      message: 'an archive in BACKUP_DIR is not listed',
    },
  ])
  await close()
})

test('an archive with a damaged save is refused by the dry run and by the restore, before anything is changed', async () => {
  await put([summer(5)])
  const { port, close } = started(farm.saved, farm.log)
  await port.backups()
  const bytes = readFileSync(path())
  bytes[200] = (bytes[200] ?? 0) ^ 0xff
  writeFileSync(path(), bytes)
  for (const isDryRun of [true, false])
    await expect(port.restoreBackup(archive, isDryRun)).rejects.toMatchObject({
      failure: { kind: 'restore_refused' },
    })
  expect([farm.day(), readdirSync(farm.saved.saves)]).toEqual([9, [name]])
  await close()
})

test('an archive with a truncated save is refused, and no copy of the save is made for it', async () => {
  const at = (file: string) => ({
    name: `${name}/${file}`,
    content: readFileSync(join(farm.saved.saves, name, file)),
  })
  const main = at(name)
  writeFileSync(path(), craftedZip([at('SaveGameInfo'), { ...main, content: main.content.subarray(0, -20) }]))
  const { game, port, close } = started(farm.saved, farm.log)
  await expect(port.restoreBackup(archive, false)).rejects.toMatchObject({
    failure: {
      kind: 'restore_refused',
      sentence: 'The save in the backup is not whole; nothing was changed',
    },
  })
  expect([farm.day(), game.loads, readdirSync(farm.saved.saves)]).toEqual([9, 0, [name]])
  expect((await port.backups()).backups.map(({ id }) => id)).toEqual([archive])
  await close()
})

test('a copy of one of its own archives under another name is the same backup', async () => {
  const { port, close } = started(farm.saved, farm.log)
  const { id } = await port.makeBackup()
  copyFileSync(join(farm.saved.folder, `${id}.zip`), join(farm.saved.folder, 'kept by hand.zip'))
  expect((await port.backups()).backups.map((one) => one.id).sort()).toEqual([id, 'kept by hand'].sort())
  expect((await port.restoreBackup('kept by hand', true))?.message).toContain('would be restored')
  await close()
})
