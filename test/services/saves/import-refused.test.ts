/** What an import refuses, without leaving anything behind. Malicious archives: `hostile-archives.test.ts`. */
import { readFileSync, renameSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { constants, deflateRawSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { ZipFile } from 'yazl'
import { importSave } from '../../../services/saves/import-save.ts'
import { craftedZip } from '../../backups/crafted-zip.ts'
import { manifestOf } from '../../backups/manifest.ts'
import {
  filesOf,
  inFolder,
  inNewFolders,
  name,
  now,
  outside,
  pack,
  refused,
  theirs,
  write,
  zipPath,
} from './save-from-outside.ts'

inNewFolders()

describe('an archive is refused', () => {
  test('whose SaveGameInfo unpacks to 1.7 GB from 1.6 MB, before the disk or the memory is filled', async () => {
    const spaces = Buffer.alloc(2 ** 24, ' ')
    const block = deflateRawSync(spaces, { finishFlush: constants.Z_FULL_FLUSH })
    const content = Buffer.concat([...Array.from({ length: 104 }, () => block), Buffer.from([3, 0])])
    const bytes = 104 * spaces.length
    const info = { name: `${name}/SaveGameInfo`, bytes, packed: { method: 8, content } }
    const main = { name: `${name}/${name}`, content: '</SaveGame>' }
    writeFileSync(zipPath(), craftedZip([info, main]))
    expect([statSync(zipPath()).size < 1_800_000, bytes > 1_700_000_000]).toEqual([true, true])
    let most = 0
    const before = process.memoryUsage.rss()
    const watching = setInterval(() => {
      most = Math.max(most, process.memoryUsage.rss() - before)
    }, 5)
    await refused(zipPath(), /SaveGameInfo has more than 64 MB, so it is not a farmer of the game/)
    clearInterval(watching)
    expect(most).toBeLessThan(150_000_000)
  })

  test('with a digest that differs from its manifest', async () => {
    const [first] = filesOf(theirs)
    const path = first?.name.replace(`${name}/`, '') ?? ''
    const manifest = manifestOf({ year: 2, files: [{ path, bytes: 1, sha256: '0'.repeat(64) }] })
    const said = { name: 'farmgate-backup.json', content: JSON.stringify(manifest) }
    await refused(await pack([...filesOf(theirs), said]), /another digest/)
  })

  test('whose bytes were damaged', async () => {
    const zip = new ZipFile()
    for (const { name: path, content } of filesOf(theirs))
      zip.addBuffer(Buffer.from(content), path, { compress: false })
    zip.end()
    const bytes = (await buffer(zip.outputStream)).toString('latin1')
    writeFileSync(zipPath(), bytes.replaceAll('<name>Abby', '<name>Ibby'), 'latin1')
    await refused(zipPath(), /another checksum/)
  })

  test.each(['', 'no zip at all', 'PK\u0003\u0004'])('that is %j', async (content) => {
    writeFileSync(zipPath(), content)
    await refused(zipPath(), /\S/)
  })

  test('without a save', async () => {
    await refused(await pack([{ name: 'readme.txt', content: 'hello' }]), /There is no save in it/)
  })
})

describe('an incomplete save is refused', () => {
  const main = () => join(outside(), name, name)

  test('because its larger file is cut off', async () => {
    writeFileSync(main(), readFileSync(main(), 'utf8').slice(0, -20))
    await refused(join(outside(), name), /is not whole/)
  })

  test('because the game was writing it', async () => {
    renameSync(
      join(outside(), name, 'SaveGameInfo'),
      join(outside(), name, 'SaveGameInfo_STARDEWVALLEYSAVETMP'),
    )
    await refused(join(outside(), name), /There is no save in it/)
  })

  test('because its files are from two days', async () => {
    const old = readFileSync(main())
    write({ ...theirs, date: { season: 'summer', day: 6, year: 2 } })
    writeFileSync(main(), old)
    await refused(join(outside(), name), /of another day/)
  })
})

test('a folder with a file of 1 TB of holes is refused before the disk is filled', async () => {
  truncateSync(join(outside(), name, 'SaveGameInfo'), 2 ** 40)
  await refused(join(outside(), name), /has more than 2147483648 bytes/)
})

test('a folder with a symbolic link is refused', async () => {
  symlinkSync('/etc', join(outside(), name, 'link'))
  await refused(join(outside(), name), /is a link/)
})

test('a missing path, and a folder without Saves, are named', async () => {
  await refused(inFolder('nothing.zip'), /There is no file or folder/)
  await expect(importSave({ from: join(outside(), name), savesDir: outside() }, now)).rejects.toThrow(
    /has no folder Saves/,
  )
})
