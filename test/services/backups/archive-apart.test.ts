/** Large saves are put into an archive, and read back, in a separate thread. */
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { verifyApart, writeApart } from '../../../services/backups/archive-apart.ts'
import { BrokenArchive, readManifest } from '../../../services/backups/read-archive.ts'
import { saveAmong } from '../../../services/backups/saves-folder.ts'
import { damage } from '../../backups/damaged-backup.ts'
import { beforeEachDiskChange, type DiskChange } from '../../backups/disk-changes.ts'
import { backupsOf, clover, savedFarm } from '../../backups/saved-farm.ts'
import { aGame } from './a-game.ts'
import { name } from './watched-farm.ts'

const large = 25_000_000

/** Backs up a save of so many bytes. */
async function backedUp(bytes: number) {
  const farm = savedFarm()
  const game = aGame()
  const { port, close } = backupsOf(farm, game.game)
  onTestFinished(async () => {
    await close()
    farm.remove()
  })
  farm.save({ bytes })
  game.day(clover.date)
  const changes: DiskChange[] = []
  const end = beforeEachDiskChange((change) => changes.push(change))
  onTestFinished(end)
  const { id, verifiedAt } = await port.makeBackup()
  end()
  const path = join(farm.folder, `${id}.zip`)
  return { farm, id, path, verifiedAt, changes: changes.map(({ what, file }) => `${what} ${file}`) }
}

test('a thread writes the archive of a large save, the event loop that of a small one', async () => {
  const small = await backedUp(1000)
  const { verifiedAt, changes } = await backedUp(large)
  expect(verifiedAt).toBeDefined()
  expect(small.changes).toContain('write unfinished archive')
  expect(changes).not.toContain('write unfinished archive')
  expect(changes).toContain('rename archive')
})

test('a damaged or missing large archive is refused like a small one', async () => {
  for (const bytes of [1000, large]) {
    const { farm, id, path } = await backedUp(bytes)
    await expect(verifyApart(path)).resolves.toBeUndefined()
    damage(farm.folder, id)
    await expect(verifyApart(path)).rejects.toBeInstanceOf(BrokenArchive)
    await expect(verifyApart(join(farm.folder, 'none.zip'))).rejects.toMatchObject({ code: 'ENOENT' })
  }
})

test('an error of the file system during the writing of a large archive has its code', async () => {
  const { farm, path } = await backedUp(large)
  const manifest = await readManifest(path)
  if (manifest === undefined) throw new Error('it has no manifest')
  const save = saveAmong(farm.savesDir, name)
  await expect(writeApart(path, save, manifest)).rejects.toMatchObject({ code: 'EEXIST' })
  const other = saveAmong(farm.savesDir, 'Other_1')
  await expect(writeApart(join(farm.folder, 'new'), other, manifest)).rejects.toMatchObject({
    code: expect.stringMatching(/^ENO(ENT|TDIR)$/),
  })
})
