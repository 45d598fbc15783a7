/** Large saves are put into an archive, and read back, in a separate thread. */
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BrokenArchive } from '../../../services/archives/broken-archive.ts'
import { readManifest } from '../../../services/archives/read-archive.ts'
import { verifyApart, writeApart } from '../../../services/backups/archive-apart.ts'
import { saveAmong } from '../../../services/saves/saves-folder.ts'
import { damage } from '../../backups/damaged-backup.ts'
import { beforeEachDiskChange, type DiskChange } from '../../backups/disk-changes.ts'
import { backupsOf, clover, savedFarm } from '../../backups/saved-farm.ts'
import { aGame } from './a-game.ts'
import { name } from './watched-farm.ts'

let small: Awaited<ReturnType<typeof backedUp>>
let large: typeof small
beforeAll(async () => {
  small = await backedUp(1000)
  large = await backedUp(50_000_000)
})

/** Backs up a save of so many bytes. */
async function backedUp(bytes: number) {
  const farm = savedFarm()
  afterAll(farm.remove)
  const game = aGame()
  const { port, close } = backupsOf(farm, game.game)
  farm.save({ bytes })
  game.day(clover.date)
  const changes: DiskChange[] = []
  const end = beforeEachDiskChange((change) => changes.push(change))
  const { id, verifiedAt } = await port.makeBackup().finally(end)
  await close()
  const path = join(farm.folder, `${id}.zip`)
  return { farm, id, path, verifiedAt, changes: changes.map(({ what, file }) => `${what} ${file}`) }
}

test('a thread writes the archive of a save of 50 MB, the event loop that of a small one', async () => {
  expect(large.verifiedAt).toBeDefined()
  expect(small.changes).toContain('write unfinished archive')
  expect(large.changes).not.toContain('write unfinished archive')
  expect(large.changes).toContain('rename archive')
  const { files = [] } = (await readManifest(large.path)) ?? {}
  expect(files.find(({ path }) => path === name)?.bytes).toBeGreaterThan(50_000_000)
})

test('an error of the file system during the writing of a large archive has its code', async () => {
  const { farm, path } = large
  const manifest = await readManifest(path)
  if (manifest === undefined) throw new Error('it has no manifest')
  const save = saveAmong(farm.savesDir, name)
  await expect(writeApart(path, save, manifest)).rejects.toMatchObject({ code: 'EEXIST' })
  const other = saveAmong(farm.savesDir, 'Other_1')
  await expect(writeApart(join(farm.folder, 'new'), other, manifest)).rejects.toMatchObject({
    code: expect.stringMatching(/^ENO(ENT|TDIR)$/),
  })
})

test('a damaged or missing large archive is refused like a small one', async () => {
  for (const { farm, id, path } of [small, large]) {
    await expect(verifyApart(path)).resolves.toBeUndefined()
    damage(farm.folder, id)
    await expect(verifyApart(path)).rejects.toBeInstanceOf(BrokenArchive)
    await expect(verifyApart(join(farm.folder, 'none.zip'))).rejects.toMatchObject({ code: 'ENOENT' })
  }
})
