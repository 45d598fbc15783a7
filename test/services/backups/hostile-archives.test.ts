/** Malicious archives, in both ways of entry: `farmgate import`, and a restore of an archive in `BACKUP_DIR`. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateRawSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { loadSave, saveName } from '../../../bridges/simulated/save-files.ts'
import { archiveLimits } from '../../../services/archives/allowed-entries.ts'
import { importSave } from '../../../services/saves/import-save.ts'
import { type CraftedEntry, craftedZip } from '../../backups/crafted-zip.ts'
import { backupsOf, clover, type SavedFarm, savedFarm } from '../../backups/saved-farm.ts'
import { game } from './clover.ts'

const name = saveName(clover)

/** The entries of a whole save, as `SMAPI` packs it. */
function wholeSave({ saves }: SavedFarm): CraftedEntry[] {
  const files = readdirSync(join(saves, name))
  return files.map((file) => ({ name: `${name}/${file}`, content: readFileSync(join(saves, name, file)) }))
}

/** Megabytes of zeros in some kilobytes. */
const zeros = Buffer.alloc(32_000_000)
const bomb = { method: 8, content: deflateRawSync(zeros) }

const hostile: readonly [what: string, entries: readonly CraftedEntry[], refusal: RegExp][] = [
  ['a path that leaves the folder', [{ name: '../../escaped' }], /invalid relative path/],
  [
    'a path that leaves the folder further in',
    [{ name: `${name}/../../../escaped` }],
    /invalid relative path/,
  ],
  ['a path of Windows that leaves the folder', [{ name: '..\\..\\escaped' }], /invalid relative path/],
  ['an absolute path', [{ name: '/tmp/escaped' }], /absolute path/],
  ['an absolute path of Windows', [{ name: 'C:\\escaped' }], /absolute path/],
  [
    'a symbolic link, and a file below it',
    [
      { name: `${name}/link`, content: '/tmp', mode: 0o120777 },
      { name: `${name}/link/escaped`, content: 'x' },
    ],
    /link is a link or a device/,
  ],
  ['a device', [{ name: `${name}/device`, mode: 0o020666 }], /device is a link or a device/],
  ['a pipe', [{ name: `${name}/pipe`, mode: 0o010666 }], /pipe is a link or a device/],
  [
    'a name twice',
    [
      { name: `${name}/a`, content: '1' },
      { name: `${name}/a`, content: '2' },
    ],
    /a is in it twice/,
  ],
  [
    'two spellings of one path',
    [
      { name: `${name}/a`, content: '1' },
      { name: `${name}//a`, content: '2' },
    ],
    /a is in it twice/,
  ],
  [
    'names that differ in case only',
    [
      { name: `${name}/a`, content: '1' },
      { name: `${name}/A`, content: '2' },
    ],
    /a and .*A are one name where case does not count/,
  ],
  [
    'folders that differ in case only',
    [
      { name: `${name}/a/1`, content: '1' },
      { name: `${name.toUpperCase()}/a/2`, content: '2' },
    ],
    /are one name where case does not count/,
  ],
  [
    'names that differ in the composition of a letter only',
    [
      { name: `${name}/\u00e9`, content: '1' },
      { name: `${name}/e\u0301`, content: '2' },
    ],
    /are one name where case does not count/,
  ],
  [
    'a file that is also a folder',
    [
      { name: `${name}/a`, content: '1' },
      { name: `${name}/a/b`, content: '2' },
    ],
    /\/a is a file and a folder in it/,
  ],
  [
    'a folder that is also a file',
    [
      { name: `${name}/a/b`, content: '1' },
      { name: `${name}/a`, content: '2' },
    ],
    /\/a is a file and a folder in it/,
  ],
  ['a name with control characters', [{ name: `${name}/a\u0000b` }], /control characters/],
  [
    'another name before the content than at the end',
    [{ name: `${name}/a`, local: { name: `${name}/b` } }],
    /a has two headers that differ/,
  ],
  [
    'another size before the content than at the end',
    [{ name: `${name}/a`, content: 'x', local: { bytes: 0 } }],
    /a has two headers that differ/,
  ],
  [
    'another checksum before the content than at the end',
    [{ name: `${name}/a`, content: 'x', local: { crc: 1 } }],
    /a has two headers that differ/,
  ],
  [
    'more bytes than it says',
    [{ name: `${name}/bomb`, bytes: 100, packed: bomb }],
    /another length than it says/,
  ],
  [
    'fewer bytes than it says',
    [{ name: `${name}/a`, bytes: 100, packed: { method: 8, content: deflateRawSync(Buffer.alloc(10)) } }],
    /another length than it says/,
  ],
  [
    'more bytes together than the limit',
    Array.from({ length: 3 }, (_one, at) => ({ name: `${name}/${at}`, bytes: 1024 ** 3, packed: bomb })),
    /unpacks to more than 2147483648 bytes|too many bytes|not enough bytes/,
  ],
  [
    'more files than the limit',
    Array.from({ length: archiveLimits.files + 1 }, (_one, at) => ({ name: `${name}/${at}` })),
    /more than 10000 files/,
  ],
  [
    'an unknown way of packing',
    [{ name: `${name}/a`, packed: { method: 99, content: Buffer.alloc(1) } }],
    /unsupported/,
  ],
]

function setUp() {
  const farm = savedFarm()
  onTestFinished(farm.remove)
  farm.save()
  return farm
}

const escaped = ({ savesDir, saves, folder }: SavedFarm) => [
  '/tmp/escaped',
  ...[savesDir, saves, folder].flatMap((one) => [join(one, 'escaped'), join(one, '..', 'escaped')]),
]

describe.each(hostile)('an archive with %s', (_what, entries, refusal) => {
  test('is refused by an import, and nothing of it is left', async () => {
    const farm = setUp()
    const from = join(farm.savesDir, 'hostile.zip')
    writeFileSync(from, craftedZip([...wholeSave(farm), ...entries]))
    const target = join(farm.savesDir, 'elsewhere')
    mkdirSync(join(target, 'Saves'), { recursive: true })
    await expect(importSave({ from, savesDir: target }, 0)).rejects.toThrow(refusal)
    expect(readdirSync(join(target, 'Saves'))).toEqual([])
    expect(escaped(farm).filter(existsSync)).toEqual([])
  })

  test('is refused by a restore, and the save stays as it is', async () => {
    const farm = setUp()
    const { port, close } = backupsOf(farm, game)
    const { id } = await port.makeBackup()
    const before = readdirSync(join(farm.saves, name))
    writeFileSync(join(farm.folder, `${id}.zip`), craftedZip([...wholeSave(farm), ...entries]))
    for (const isDryRun of [true, false])
      await expect(port.restoreBackup(id, isDryRun)).rejects.toMatchObject({
        failure: {
          kind: 'restore_refused',
          sentence: expect.stringMatching(/^The archive is refused: .*; nothing was changed$/),
        },
      })
    expect(readdirSync(farm.saves)).toEqual([name])
    expect(readdirSync(join(farm.saves, name))).toEqual(before)
    expect(loadSave(farm.saves, name)?.date).toEqual(clover.date)
    expect(escaped(farm).filter(existsSync)).toEqual([])
    await close()
  })
})

test('valid archives of the same kind are accepted, so that no archive is refused for another reason', async () => {
  const farm = setUp()
  const from = join(farm.savesDir, 'honest.zip')
  writeFileSync(from, craftedZip([{ name: `${name}/`, mode: 0o040755 }, ...wholeSave(farm)]))
  const target = join(farm.savesDir, 'elsewhere')
  mkdirSync(join(target, 'Saves'), { recursive: true })
  await importSave({ from, savesDir: target }, 0)
  expect(loadSave(join(target, 'Saves'), name)?.date).toEqual(clover.date)
})
