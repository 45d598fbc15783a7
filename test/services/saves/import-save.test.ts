/** A save from another machine is placed among the saves of the game, as a whole or not at all. */
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadSave } from '../../../bridges/simulated/save-files.ts'
import { writeArchive } from '../../../services/backups/write-archive.ts'
import { examineSave } from '../../../services/saves/examine-save.ts'
import { importSave } from '../../../services/saves/import-save.ts'
import { beforeEachDiskChange, noSpace } from '../../backups/disk-changes.ts'
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
  saves,
  savesDir,
  take,
  theirs,
  write,
  zipPath,
} from './save-from-outside.ts'

inNewFolders()

const expectPlaced = () => {
  expect(readdirSync(saves())).toEqual([name])
  for (const file of [name, 'SaveGameInfo'])
    expect(readFileSync(join(saves(), name, file))).toEqual(readFileSync(join(outside(), name, file)))
}

describe('a save is checked, shown and placed', () => {
  const reported = {
    save: name,
    farmName: 'Clover',
    day: { season: 'summer', day: 5, year: 2 },
    host: { name: 'Robin', isServer: false },
    people: ['Robin', 'Abby', 'Sam'],
    bytes: expect.any(Number),
  }

  test('from its folder', async () => {
    expect(await take(join(outside(), name))).toEqual(reported)
    expectPlaced()
  })

  test('from a folder that was renamed, under the name that the game needs', async () => {
    cpSync(join(outside(), name), inFolder('my farm'), { recursive: true })
    expect(await take(inFolder('my farm'))).toEqual(reported)
    expectPlaced()
  })

  test.each([
    ['with its folder at the top, as SMAPI packs it', `${name}/`],
    ['with Saves around it', `Saves/${name}/`],
    ['without its folder', ''],
  ])('from a zip %s', async (_how, prefix) => {
    expect(await take(await pack(filesOf(theirs, prefix)))).toEqual(reported)
    expectPlaced()
  })

  test('from a backup of farmgate', async () => {
    const save = { name, top: outside(), folder: join(outside(), name) }
    const examined = await examineSave(save)
    if (examined === undefined) return expect.unreachable('it is whole')
    const { facts, files } = examined
    await writeArchive(
      zipPath(),
      save,
      manifestOf({ ...facts.day, people: [...facts.people], files: [...files] }),
    )
    expect(await take(zipPath())).toEqual(reported)
    expectPlaced()
  })

  test('by its name from an archive of several farms', async () => {
    const thistle = { ...theirs, farmName: 'Thistle', farmId: 987_654_321 }
    write(thistle)
    const zip = await pack([...filesOf(theirs), ...filesOf(thistle)])
    await refused(zip, /It has the saves Clover_123456789, Thistle_987654321: name one of them with --save/)
    expect(await take(zip, { save: name })).toEqual(reported)
    expectPlaced()
  })

  test('and only shown without a folder of saves', async () => {
    expect(await importSave({ from: join(outside(), name), savesDir: undefined }, now)).toEqual(reported)
    expect(readdirSync(saves())).toEqual([])
  })
})

test('a save is placed where the game has none yet: the empty folder gets a Saves with its owner and rights', async () => {
  rmSync(saves(), { recursive: true })
  chmodSync(savesDir(), 0o751)
  const isRoot = process.getuid?.() === 0
  if (isRoot) chownSync(savesDir(), 4321, 4321)
  await take(join(outside(), name))
  expectPlaced()
  const { mode, uid } = statSync(saves())
  expect([mode & 0o777, uid]).toEqual([0o751, isRoot ? 4321 : process.getuid?.()])
})

test('nothing replaces an existing farm', async () => {
  mkdirSync(join(saves(), name))
  writeFileSync(join(saves(), name, 'SaveGameInfo'), 'theirs')
  await refused(join(outside(), name), /There is a save Clover_123456789 already/)
  expect(readFileSync(join(saves(), name, 'SaveGameInfo'), 'utf8')).toBe('theirs')
})

test('the leftovers of a killed process begin with a dot, and are removed an hour later', async () => {
  const left = join(saves(), '.farmgate-import-AbCdEf')
  mkdirSync(left)
  const old = new Date(now - 2 * 3_600_000)
  utimesSync(left, old, old)
  await take(join(outside(), name))
  expectPlaced()
})

test('a disk that is full at any step of an import leaves no save, or the whole one, and nothing else', async () => {
  const from = await pack(filesOf(theirs))
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
      // A removal needs no space.
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
