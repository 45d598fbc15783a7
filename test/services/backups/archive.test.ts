/** How the archive of a save is written. */
import fs, { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import type { Manifest } from '../../../services/archives/manifest.ts'
import { verifyArchive } from '../../../services/archives/read-archive.ts'
import { writeArchive } from '../../../services/backups/write-archive.ts'
import { filesAsTheyAre } from '../../../services/saves/examine-save.ts'
import { beforeEachDiskChange, noSpace } from '../../backups/disk-changes.ts'
import { manifestOf } from '../../backups/manifest.ts'
import { newFolder } from '../../new-folder.ts'
import { eventually } from '../../wait.ts'

let folder = ''
const save = () => ({ name: 'Clover_1', top: folder, folder: join(folder, 'Clover_1') })
const archive = () => join(folder, 'archive.zip')
beforeEach(() => {
  folder = newFolder()
  fs.mkdirSync(save().folder)
})

async function manifest(): Promise<Manifest> {
  const found = await filesAsTheyAre(save())
  return manifestOf({ save: save().name, files: [...(found?.files ?? [])] })
}

/** No two parts of it are the same. */
const numbered = (bytes: number) => Buffer.from(Uint32Array.from({ length: bytes / 4 }, (_, at) => at).buffer)

/** The disk takes some milliseconds for each write. */
function slowDisk(): void {
  const { write, writev } = fs
  const slow =
    (own: unknown) =>
    (...given: unknown[]) =>
      void setTimeout(() => Reflect.apply(own as typeof write, fs, given), 5)
  Object.assign(fs, { write: slow(write), writev: slow(writev) })
  syncBuiltinESMExports()
  onTestFinished(() => {
    Object.assign(fs, { write, writev })
    syncBuiltinESMExports()
  })
}

/** The disk returns less than was requested. */
function shortReads(): void {
  const { promises } = fs
  const { open } = promises
  Object.assign(promises, {
    async open(...given: Parameters<typeof open>) {
      const file = await open(...given)
      const read = file.read.bind(file) as (buffer: Buffer, from: number, length: number) => unknown
      return Object.assign(file, {
        read: (buffer: Buffer, from: number, length: number) => read(buffer, from, Math.min(length, 10_000)),
      })
    },
  })
  syncBuiltinESMExports()
  onTestFinished(() => {
    Object.assign(promises, { open })
    syncBuiltinESMExports()
  })
}

const openFiles = () => readdirSync('/proc/self/fd').length

test.each([
  ['that is slower than the save is read', slowDisk],
  ['that also gives less than it is asked for', () => [slowDisk(), shortReads()]],
])('on a disk %s, the archive has the content of the files', async (_which, become) => {
  writeFileSync(join(save().folder, 'large'), numbered(8_000_000))
  writeFileSync(join(save().folder, 'small'), 'small')
  writeFileSync(join(save().folder, 'empty'), '')
  const said = await manifest()
  become()
  await writeArchive(archive(), save(), said)
  expect(await verifyArchive(archive())).toEqual(said)
})

test('a file that vanishes or cannot be read fails the archive and not the process', async () => {
  writeFileSync(join(save().folder, 'a'), 'a')
  writeFileSync(join(save().folder, 'b'), 'b')
  const said = await manifest()
  rmSync(join(save().folder, 'b'))
  await expect(writeArchive(archive(), save(), said)).rejects.toMatchObject({ code: 'ENOENT' })
  rmSync(archive())
  fs.mkdirSync(join(save().folder, 'b'))
  await expect(writeArchive(archive(), save(), said)).rejects.toMatchObject({ name: 'NotRegular' })
})

test('a full disk during the writing of an archive leaves no file open', async () => {
  writeFileSync(join(save().folder, 'large'), numbered(8_000_000))
  const said = await manifest()
  const before = openFiles()
  const end = beforeEachDiskChange(({ what }) => {
    if (what === 'write') throw noSpace()
  })
  onTestFinished(end)
  await expect(writeArchive(archive(), save(), said)).rejects.toMatchObject({ code: 'ENOSPC' })
  end()
  await eventually(() => expect(openFiles()).toBe(before))
})
