/** A save from elsewhere: what is taken, what is refused, and that nothing is left of what is refused. */
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ZipFile } from 'yazl'
import { writeArchive } from '../../../runtime/backups/archive.ts'
import { examineSave } from '../../../runtime/backups/examine-save.ts'
import { importSave } from '../../../runtime/backups/import-save.ts'
import {
  type GameSave,
  loadSave,
  saveName,
  savingSteps,
} from '../../../runtime/bridges/simulated/save-files.ts'
import { beforeEachDiskChange, noSpace } from '../../backups/disk-changes.ts'

const clover: GameSave = {
  farmName: 'Clover',
  farmId: 123_456_789,
  date: { season: 'summer', day: 5, year: 2 },
  host: 'Robin',
  farmhands: ['Abby', 'Sam'],
  gameVersion: '1.6.15',
}
const thistle: GameSave = { ...clover, farmName: 'Thistle', farmId: 987_654_321 }
const name = saveName(clover)
const now = Date.parse('2026-11-22T12:00:00Z')

let folder = ''
const savesDir = () => join(folder, 'game')
const saves = () => join(savesDir(), 'Saves')
const elsewhere = () => join(folder, 'elsewhere')
const zipPath = () => join(folder, 'save.zip')
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'import-save-'))
  mkdirSync(saves(), { recursive: true })
  write(clover)
})
afterEach(() => rmSync(folder, { recursive: true }))

/** The game saves the farm, elsewhere. */
function write(save: GameSave): void {
  for (const { run } of savingSteps(elsewhere(), save)) run()
}

interface Packed {
  readonly name: string
  readonly content: string | Buffer
  readonly mode?: number
}

const filesOf = (save: GameSave, prefix = `${saveName(save)}/`): Packed[] =>
  readdirSync(join(elsewhere(), saveName(save))).map((file) => ({
    name: prefix + file,
    content: readFileSync(join(elsewhere(), saveName(save), file)),
  }))

/** Writes a zip, in which one text may take the place of another that is as long. */
async function pack(files: readonly Packed[], change?: readonly [string, string]): Promise<string> {
  const zip = new ZipFile()
  for (const file of files)
    zip.addBuffer(Buffer.from(file.content), file.name, { mode: file.mode ?? 0o100644 })
  zip.end()
  const bytes = (await buffer(zip.outputStream)).toString('latin1')
  writeFileSync(zipPath(), change === undefined ? bytes : bytes.replaceAll(...change), 'latin1')
  return zipPath()
}

const take = (from: string, more: { save?: string; limits?: { files: number; bytes: number } } = {}) =>
  importSave({ from, savesDir: savesDir(), ...more }, now)

/** Imports, and expects that nothing at all has been put among the saves. */
async function refused(from: string, message: RegExp, more: Parameters<typeof take>[1] = {}) {
  const before = readdirSync(saves())
  await expect(take(from, more)).rejects.toThrow(message)
  expect(readdirSync(saves())).toEqual(before)
}

const expectPlaced = () => {
  expect(readdirSync(saves())).toEqual([name])
  for (const file of [name, 'SaveGameInfo'])
    expect(readFileSync(join(saves(), name, file))).toEqual(readFileSync(join(elsewhere(), name, file)))
}

describe('a save is checked, told and placed', () => {
  const told = {
    save: name,
    farmName: 'Clover',
    day: { season: 'summer', day: 5, year: 2 },
    host: 'Robin',
    people: ['Robin', 'Abby', 'Sam'],
    bytes: expect.any(Number),
  }

  test('from its folder', async () => {
    expect(await take(join(elsewhere(), name))).toEqual(told)
    expectPlaced()
  })

  test('from a folder that was renamed, under the name that the game wants', async () => {
    cpSync(join(elsewhere(), name), join(folder, 'my farm'), { recursive: true })
    expect(await take(join(folder, 'my farm'))).toEqual(told)
    expectPlaced()
  })

  test.each([
    ['with its folder at the top, as SMAPI packs it', `${name}/`],
    ['with Saves around it', `Saves/${name}/`],
    ['without its folder', ''],
  ])('from a zip %s', async (_how, prefix) => {
    expect(await take(await pack(filesOf(clover, prefix)))).toEqual(told)
    expectPlaced()
  })

  test('from a backup of farmgate', async () => {
    const save = { name, folder: join(elsewhere(), name) }
    const examined = await examineSave(save)
    if (examined === undefined) return expect.unreachable('it is whole')
    const { facts, files } = examined
    await writeArchive(zipPath(), save, {
      format: 1,
      madeAt: '2026-11-21T12:00:00.000Z',
      reason: 'day',
      save: name,
      farmName: facts.farmName,
      ...facts.day,
      gameVersion: facts.gameVersion,
      people: [...facts.people],
      files: [...files],
    })
    expect(await take(zipPath())).toEqual(told)
    expectPlaced()
  })

  test('by its name from an archive of several farms', async () => {
    write(thistle)
    const zip = await pack([...filesOf(clover), ...filesOf(thistle)])
    await refused(zip, /It has the saves Clover_123456789, Thistle_987654321: name one of them with --save/)
    expect(await take(zip, { save: name })).toEqual(told)
    expectPlaced()
  })

  test('and only told without a folder of saves', async () => {
    expect(await importSave({ from: join(elsewhere(), name), savesDir: undefined }, now)).toEqual(told)
    expect(readdirSync(saves())).toEqual([])
  })
})

test('a save is placed where the game has none yet: the empty folder gets a Saves with its owner and rights', async () => {
  rmSync(saves(), { recursive: true })
  chmodSync(savesDir(), 0o751)
  const isRoot = process.getuid?.() === 0
  if (isRoot) chownSync(savesDir(), 4321, 4321)
  await take(join(elsewhere(), name))
  expectPlaced()
  const { mode, uid } = statSync(saves())
  expect([mode & 0o777, uid]).toEqual([0o751, isRoot ? 4321 : process.getuid?.()])
})

test('nothing is placed over an existing farm', async () => {
  mkdirSync(join(saves(), name))
  writeFileSync(join(saves(), name, 'SaveGameInfo'), 'theirs')
  await refused(join(elsewhere(), name), /There is a save Clover_123456789 already/)
  expect(readFileSync(join(saves(), name, 'SaveGameInfo'), 'utf8')).toBe('theirs')
})

describe('an archive is refused', () => {
  test.each([
    ['with a path that leaves the folder', '../escaped.txt', /invalid relative path/],
    ['with an absolute path', '/tmp/escaped.t', /absolute path/],
    [
      'with a path of Windows that leaves the folder',
      '..\\escaped.txt',
      /invalid characters|invalid relative/,
    ],
  ])('%s', async (_what, path, message) => {
    const innocent = 'x'.repeat(path.length)
    const zip = await pack([...filesOf(clover), { name: innocent, content: 'x' }], [innocent, path])
    await refused(zip, message)
    for (const escaped of [join(folder, 'escaped.txt'), join(savesDir(), 'escaped.txt'), '/tmp/escaped.t'])
      expect(existsSync(escaped)).toBe(false)
  })

  test('with a symbolic link', async () => {
    const link = { name: `${name}/link`, content: '/etc/passwd', mode: 0o120777 }
    await refused(await pack([...filesOf(clover), link]), /link is a link/)
  })

  test('that unpacks to more than its limit, before it is unpacked', async () => {
    const bomb = { name: `${name}/bomb`, content: Buffer.alloc(1_000_000) }
    await refused(await pack([bomb]), /it unpacks to more than 100000 bytes/, {
      limits: { files: 10, bytes: 100_000 },
    })
  })

  test('with more files than its limit', async () => {
    await refused(await pack(filesOf(clover)), /more than 1 files/, { limits: { files: 1, bytes: 1e9 } })
  })

  test('with a name twice', async () => {
    await refused(await pack([...filesOf(clover), ...filesOf(clover)]), /is in it twice/)
  })

  test('with a digest that does not fit its manifest', async () => {
    const [first] = filesOf(clover)
    const manifest = {
      format: 1,
      madeAt: '2026-11-21T12:00:00.000Z',
      reason: 'day',
      save: name,
      farmName: 'Clover',
      season: 'summer',
      day: 5,
      year: 2,
      gameVersion: '1.6.15',
      people: [],
      files: [{ path: first?.name.replace(`${name}/`, ''), bytes: 1, sha256: '0'.repeat(64) }],
    }
    const said = { name: 'farmgate-backup.json', content: JSON.stringify(manifest) }
    await refused(await pack([...filesOf(clover), said]), /another digest/)
  })

  test('whose bytes were damaged', async () => {
    const zip = new ZipFile()
    for (const { name: path, content } of filesOf(clover))
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

  test('that has no save', async () => {
    await refused(await pack([{ name: 'readme.txt', content: 'hello' }]), /There is no save in it/)
  })
})

describe('a save that is not whole is refused', () => {
  const main = () => join(elsewhere(), name, name)

  test('because its larger file is cut off', async () => {
    writeFileSync(main(), readFileSync(main(), 'utf8').slice(0, -20))
    await refused(join(elsewhere(), name), /is not whole/)
  })

  test('because the game was writing it', async () => {
    renameSync(
      join(elsewhere(), name, 'SaveGameInfo'),
      join(elsewhere(), name, 'SaveGameInfo_STARDEWVALLEYSAVETMP'),
    )
    await refused(join(elsewhere(), name), /There is no save in it/)
  })

  test('because its files are of two days', async () => {
    const old = readFileSync(main())
    write({ ...clover, date: { season: 'summer', day: 6, year: 2 } })
    writeFileSync(main(), old)
    await refused(join(elsewhere(), name), /of another day/)
  })
})

test('a folder with a symbolic link is refused', async () => {
  symlinkSync('/etc', join(elsewhere(), name, 'link'))
  await refused(join(elsewhere(), name), /is a link/)
})

test('what is not there, and a folder without Saves, are named', async () => {
  await refused(join(folder, 'nothing.zip'), /There is no file or folder/)
  await expect(importSave({ from: join(elsewhere(), name), savesDir: elsewhere() }, now)).rejects.toThrow(
    /has no folder Saves/,
  )
})

test('what a killed process has left begins with a dot, and is removed an hour later', async () => {
  const left = join(saves(), '.farmgate-import-AbCdEf')
  mkdirSync(left)
  const old = new Date(now - 2 * 3_600_000)
  utimesSync(left, old, old)
  await take(join(elsewhere(), name))
  expectPlaced()
})

test('a disk that is full at any step of an import leaves no save, or the whole one, and nothing else', async () => {
  const from = await pack(filesOf(clover))
  const steps: string[] = []
  const end = beforeEachDiskChange(({ what, file }) => void steps.push(`${what} ${file}`))
  await take(from)
  end()
  expect(steps.length).toBeGreaterThan(5)
  for (const [failing, step] of steps.entries()) {
    rmSync(saves(), { recursive: true })
    mkdirSync(saves())
    let at = 0
    const stop = beforeEachDiskChange(({ what }) => {
      // What is removed needs no space.
      if (at++ === failing && !what.startsWith('remove')) throw noSpace()
    })
    const isTaken = await take(from).then(
      () => true,
      () => false,
    )
    stop()
    const placed = readdirSync(saves())
    expect([
      step,
      placed.length === 0 || (placed.join() === name && loadSave(saves(), name) !== undefined),
    ]).toEqual([step, true])
    if (isTaken) expectPlaced()
  }
})
