/** Restores over an incomplete save, which is when people need them most. */
import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { type BackupStore, backupStore } from '../../../services/backups/backup-store.ts'
import { importSave } from '../../../services/backups/import-save.ts'
import { copyTornSave } from '../../../services/backups/make-backup.ts'
import { saveAmong } from '../../../services/backups/saves-folder.ts'
import { farmToRestore } from './farm-to-restore.ts'
import { name, started } from './loading-game.ts'

let farm: ReturnType<typeof farmToRestore>
const at = (file: string) => join(farm.saved.saves, name, file)
beforeEach(() => {
  farm = farmToRestore()
})

/** The backup of day 5, in a farm whose save was torn after day 9, and whose game has started since. */
async function torn(tear: () => void) {
  const { id, close } = await farm.atDay9()
  await close()
  tear()
  return { id, ...started(farm.saved, farm.log) }
}

const tears: readonly [what: string, tear: () => void][] = [
  ['whose larger file is cut off', () => truncateSync(at(name), 100)],
  ['whose larger file is empty', () => truncateSync(at(name), 0)],
  ['whose larger file is missing', () => rmSync(at(name))],
  ['whose smaller file is cut off', () => truncateSync(at('SaveGameInfo'), 30)],
  ['whose files are of two days', () => writeFileSync(at(name), readFileSync(at(`${name}_old`)))],
  ['whose folder is empty', () => readdirSync(join(farm.saved.saves, name)).map((file) => rmSync(at(file)))],
  [
    'in which a crash of the game has left a temporary file',
    () => writeFileSync(at(`${name}_STARDEWVALLEYSAVETMP`), 'half of a'),
  ],
]

test.each(tears)(
  'a save %s is restored over, after an unverified copy of its current state',
  async (_what, tear) => {
    const { id, port, close } = await torn(tear)
    const before = readdirSync(join(farm.saved.saves, name))
    const restored = await port.restoreBackup(id, false)
    expect([farm.day(), restored?.message]).toEqual([
      5,
      expect.stringContaining('Clover, summer 5, year 1, is restored'),
    ])
    expect(readdirSync(farm.saved.saves)).toEqual([name])
    const [copy] = (await port.backups()).backups
    expect(copy).toMatchObject({ id: restored?.safetyBackup, reason: 'before_restore', farmName: 'Clover' })
    expect(copy).not.toHaveProperty('verifiedAt')
    const archive = readFileSync(join(farm.saved.folder, `${copy?.id}.zip`), 'latin1')
    for (const file of before) expect(archive).toContain(`${name}/${file}`)
    await close()
  },
)

test('the copy of an incomplete save is not restored, and says why; nothing was changed', async () => {
  const { id, port, close } = await torn(() => truncateSync(at(name), 100))
  const restored = await port.restoreBackup(id, false)
  for (const isDryRun of [true, false])
    await expect(port.restoreBackup(restored?.safetyBackup ?? '', isDryRun)).rejects.toMatchObject({
      failure: { kind: 'restore_refused', sentence: expect.stringContaining('was not whole') },
    })
  expect(farm.day()).toBe(5)
  await close()
})

test('the rule never removes the copy of an incomplete save, and the list has it again after the index was lost', async () => {
  const { id, port, close } = await torn(() => truncateSync(at(name), 100))
  const restored = await port.restoreBackup(id, false)
  await close()
  rmSync(join(farm.saved.folder, 'index.json'))
  const next = started(farm.saved)
  for (let made = 0; made < 3; made += 1) {
    farm.saved.saveAgain()
    await next.port.makeBackup()
  }
  const found = (await next.port.backups()).backups.find((one) => one.id === restored?.safetyBackup)
  expect(found).not.toHaveProperty('verifiedAt')
  await expect(next.port.restoreBackup(found?.id ?? '', true)).rejects.toMatchObject({
    failure: { kind: 'restore_refused' },
  })
  await next.close()
})

test('a restore over an incomplete save logs that, and its message says that the loss is unknown', async () => {
  const { id, port, close } = await torn(() => truncateSync(at(name), 100))
  expect((await port.restoreBackup(id, false))?.message).toBe(
    'Clover, summer 5, year 1, is restored; no farm was loaded, so what is lost is not known',
  )
  expect(farm.log.map(({ message }) => message)).toContain(
    'the save is not whole: it is copied as it is before it is restored',
  )
  await close()
})

test('when the game loads neither, the incomplete save is put back as it was', async () => {
  const { id, port, game, close } = await torn(() => truncateSync(at(name), 100))
  game.canLoad = false
  const before = readFileSync(at(name))
  await expect(port.restoreBackup(id, false)).rejects.toMatchObject({ failure: { kind: 'restore_undone' } })
  // The note of the reload that the game owes stays until the game plays the old save.
  expect([readFileSync(at(name)), readdirSync(farm.saved.saves)]).toEqual([
    before,
    ['.farmgate-restore.json', name],
  ])
  await close()
})

test('a save that the game keeps writing during the copy has no copy', async () => {
  const { close } = await torn(() => truncateSync(at(name), 100))
  await close()
  const store = backupStore(farm.saved.folder, Date.now)
  const [last] = await store.list()
  if (last === undefined) return expect.unreachable('there is a backup')
  const writing: BackupStore = {
    ...store,
    add(...given) {
      writeFileSync(at(name), 'more')
      return store.add(...given)
    },
  }
  const save = saveAmong(farm.saved.savesDir, name)
  expect(await copyTornSave(writing, save, last, 0)).toBeUndefined()
  const written: BackupStore = {
    ...store,
    add(id, one, manifest, isUnchanged) {
      return store.add(id, one, manifest, () => {
        writeFileSync(at(name), 'still more')
        return isUnchanged()
      })
    },
  }
  expect(await copyTornSave(written, save, last, 0)).toBeUndefined()
  expect(await store.list()).toHaveLength(1)
})

test('a save whose folder is missing is not restored over: the answer names farmgate import, which puts the backup there', async () => {
  const { id, port, close } = await torn(() => rmSync(join(farm.saved.saves, name), { recursive: true }))
  await expect(port.restoreBackup(id, false)).rejects.toMatchObject({
    failure: { kind: 'unsupported', by: 'farmgate', what: expect.stringContaining('farmgate import') },
  })
  await importSave({ from: join(farm.saved.folder, `${id}.zip`), savesDir: farm.saved.savesDir }, 0)
  expect(farm.day()).toBe(5)
  await close()
})
