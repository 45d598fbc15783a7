/** The effects of a restore, and its refusals before anything is changed. */
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { FarmError } from '../../../handlers/farm-error.ts'
import { verifyArchive } from '../../../services/archives/read-archive.ts'
import { type BackupStore, backupStore } from '../../../services/backups/backup-store.ts'
import { backUpTornSave } from '../../../services/backups/make-backup.ts'
import { importSave } from '../../../services/saves/import-save.ts'
import { saveAmong } from '../../../services/saves/saves-folder.ts'
import { craftedZip } from '../../backups/crafted-zip.ts'
import { beforeEachDiskChange, noSpace } from '../../backups/disk-changes.ts'
import { backupsOf } from '../../backups/saved-farm.ts'
import { farmToRestore } from './farm-to-restore.ts'
import { name, started } from './loading-game.ts'

let farm: ReturnType<typeof farmToRestore>
beforeEach(() => {
  farm = farmToRestore()
})

test('a restore replaces the save with the whole save of the backup, and the game plays its day', async () => {
  const { id, port, game, close } = await farm.atDay9()
  const restored = await port.restoreBackup(id, false)
  expect(restored?.message).toBe(
    'Clover, summer 5, year 1, is restored; 4 game days of the farm and what was done today are lost',
  )
  expect([farm.day(), (await game.bridge.status()).day, game.loads]).toEqual([5, 5, 1])
  expect(readdirSync(farm.saved.saves)).toEqual([name])
  const { backups } = await port.backups()
  expect(backups[0]).toMatchObject({ id: restored?.safetyBackup, reason: 'before_restore', day: 9 })
  const back = await port.restoreBackup(restored?.safetyBackup ?? '', false)
  expect([back?.message, farm.day()]).toEqual([expect.stringContaining('ahead'), 9])
  await close()
})

test('the restored save has the rights of the old one, under any umask of farmgate', async () => {
  const { id, port, close } = await farm.atDay9()
  chmodSync(join(farm.saved.saves, name), 0o775)
  await port.restoreBackup(id, false)
  const mode = (...path: string[]) =>
    (statSync(join(farm.saved.saves, name, ...path)).mode & 0o777).toString(8)
  expect([mode(), mode(name), mode('SaveGameInfo')]).toEqual(['775', '664', '664'])
  await close()
})

test('a backup with wrong digests is refused by the dry run and by the restore, before anything is changed', async () => {
  const { id, port, game, close } = await farm.atDay9()
  const path = join(farm.saved.folder, `${id}.zip`)
  const manifest = await verifyArchive(path)
  const files = manifest.files.map((file) => ({
    name: `${name}/${file.path}`,
    content: readFileSync(join(farm.saved.saves, name, file.path)),
  }))
  const said = { name: 'farmgate-backup.json', content: JSON.stringify(manifest) }
  writeFileSync(path, craftedZip([...files, said]))
  for (const isDryRun of [true, false])
    await expect(port.restoreBackup(id, isDryRun)).rejects.toMatchObject({
      failure: { kind: 'restore_refused', sentence: expect.stringContaining('has another digest') },
    })
  expect([farm.day(), game.loads, readdirSync(farm.saved.saves)]).toEqual([9, 0, [name]])
  expect((await port.backups()).backups).toHaveLength(1)
  await close()
})

test('while the game saves nothing is restored: save_in_progress', async () => {
  const { id, port, game, close } = await farm.atDay9()
  game.isSaving = true
  await expect(port.restoreBackup(id, false)).rejects.toMatchObject({ failure: { kind: 'save_in_progress' } })
  expect([farm.day(), readdirSync(farm.saved.saves), (await port.backups()).backups.length]).toEqual([
    9,
    [name],
    1,
  ])
  await close()
})

test('a night that begins during the unpacking ends the restore, before anything is changed', async () => {
  const { id, port, game, close } = await farm.atDay9()
  const { players } = game.bridge
  let asked = 0
  game.bridge.players = () => {
    asked += 1
    game.isSaving = asked === 2
    return players()
  }
  await expect(port.restoreBackup(id, false)).rejects.toMatchObject({ failure: { kind: 'save_in_progress' } })
  expect([asked, farm.day(), game.loads, readdirSync(farm.saved.saves)]).toEqual([2, 9, 0, [name]])
  await close()
})

test('without mounted saves nothing is restored: unsupported', async () => {
  const { id, close } = await farm.atDay9()
  await close()
  const { game } = started(farm.saved, farm.log)
  const without = backupsOf({ ...farm.saved, savesDir: join(farm.saved.savesDir, 'nothing') }, game.bridge)
  await expect(without.port.restoreBackup(id, false)).rejects.toMatchObject({
    failure: { kind: 'unsupported', by: 'farmgate', what: expect.stringContaining('SAVES_DIR') },
  })
  await without.close()
})

const at = (file: string) => join(farm.saved.saves, name, file)

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
  expect(await backUpTornSave(writing, save, last, 0)).toBeUndefined()
  const written: BackupStore = {
    ...store,
    add(id, one, manifest, isUnchanged) {
      return store.add(id, one, manifest, () => {
        writeFileSync(at(name), 'still more')
        return isUnchanged()
      })
    },
  }
  expect(await backUpTornSave(written, save, last, 0)).toBeUndefined()
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

test('when the game no longer answers after its reload, the old save is put back and the game reloads it', async () => {
  const { id, port, game, close } = await farm.atDay9()
  const { status } = game.bridge
  const { reload } = game.bridge
  game.bridge.reload = () => {
    game.bridge.status = () => Promise.reject(new FarmError({ kind: 'unavailable' }))
    return reload()
  }
  await expect(port.restoreBackup(id, false)).rejects.toMatchObject({ failure: { kind: 'restore_undone' } })
  game.bridge.status = status
  expect([(await status()).day, farm.day(), game.loads, readdirSync(farm.saved.saves)]).toEqual([
    9,
    9,
    2,
    ['.farmgate-restore.json', name],
  ])
  await close()
})

test("when the disk does not store the game's confirmation of the backup, the old save is put back", async () => {
  const { id, port, game, close } = await farm.atDay9()
  onTestFinished(
    beforeEachDiskChange(({ what, file }) => {
      if (game.loads === 1 && what === 'make' && file === '.farmgate-restore.json.new') throw noSpace()
    }),
  )
  await expect(port.restoreBackup(id, false)).rejects.toMatchObject({ failure: { kind: 'restore_undone' } })
  expect([(await game.bridge.status()).day, farm.day(), readdirSync(farm.saved.saves)]).toEqual([
    9,
    9,
    [name],
  ])
  await close()
})

test('when the old save cannot be removed the restored one stays, and the next restore removes the leftovers', async () => {
  const { id, port, close } = await farm.atDay9()
  let isPlaced = false
  const end = beforeEachDiskChange(({ what, file }) => {
    isPlaced ||= file === '.farmgate-restore-old'
    if (isPlaced && what === 'remove' && file === 'SaveGameInfo') throw noSpace()
  })
  onTestFinished(end)
  const restored = await port.restoreBackup(id, false)
  end()
  expect([farm.day(), JSON.stringify(farm.log)]).toEqual([
    5,
    expect.stringContaining('the save from before a restore could not be removed'),
  ])
  await port.restoreBackup(restored?.safetyBackup ?? '', false)
  expect([farm.day(), readdirSync(farm.saved.saves)]).toEqual([9, [name]])
  await close()
})

test('when the game then plays another farm, the old save is put back', async () => {
  const { id, port, game, close } = await farm.atDay9()
  const { status } = game.bridge
  game.bridge.status = async () => ({
    ...(await status()),
    farmName: game.loads === 1 ? 'Thistle' : 'Clover',
  })
  await expect(port.restoreBackup(id, false)).rejects.toMatchObject({
    failure: {
      kind: 'restore_undone',
      sentence:
        'The game plays another farm or day than that of the backup; the save from before is in its place again, and the game plays it',
    },
  })
  expect([farm.day(), (await status()).day, readdirSync(farm.saved.saves)]).toEqual([9, 9, [name]])
  await close()
})

test('a game that does not play the old save again after that is reported: restart the game', async () => {
  const { id, port, game, close } = await farm.atDay9()
  const { reload } = game.bridge
  game.bridge.reload = async () => {
    await reload()
    game.canLoad = false
    game.bridge.status = () => Promise.reject(new FarmError({ kind: 'unavailable' }))
    return 'World reloaded'
  }
  await expect(port.restoreBackup(id, false)).rejects.toMatchObject({
    failure: { sentence: expect.stringContaining('restart the game, which does not play it') },
  })
  expect([farm.day(), readdirSync(farm.saved.saves)]).toEqual([9, ['.farmgate-restore.json', name]])
  await close()
})

test('while an earlier save is set aside without its journal nothing is restored, and the log says so', async () => {
  const { id, port, close } = await farm.atDay9()
  const aside = join(farm.saved.saves, '.farmgate-restore-old')
  mkdirSync(aside)
  await expect(port.restoreBackup(id, false)).rejects.toMatchObject({
    failure: {
      kind: 'restore_refused',
      sentence:
        '.farmgate-restore-old is in the saves without its journal: move it out of the folder Saves; nothing was changed',
    },
  })
  expect([farm.day(), readdirSync(farm.saved.saves).sort()]).toEqual([9, ['.farmgate-restore-old', name]])
  expect(JSON.stringify(farm.log)).toContain('.farmgate-restore-old is in the saves without its journal')
  rmdirSync(aside)
  expect((await port.restoreBackup(id, false))?.message).toContain('is restored')
  await close()
})
