/** A restore that is killed at each of its steps leaves the old save or the new one whole, and nothing else. */
import { cpSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { loadSave, savingSteps } from '../../../bridges/simulated/save-files.ts'
import {
  digestOf,
  forgetReload,
  recoverSwap,
  runAll,
  stagingName,
  swapSteps,
  undoSteps,
} from '../../../services/backups/swap-save.ts'
import { examineSave } from '../../../services/saves/examine-save.ts'
import { clover } from '../../backups/saved-farm.ts'
import { newFolder } from '../../new-folder.ts'

const name = 'Clover_123456789'
const onDay = (day: number) => ({ ...clover, date: { season: 'summer', day, year: 2 } as const })
const now = 1_800_000_000_000
/** The days of the current save and of the backup. */
const [before, after] = [9, 5]

/** `SAVES_DIR`, and the folder of all saves in it. */
let dir = ''
let saves = ''
const staging = () => join(saves, stagingName)
beforeEach(() => {
  dir = newFolder()
  saves = join(dir, 'Saves')
  for (const { run } of savingSteps(saves, onDay(before))) run()
  mkdirSync(staging())
  for (const { run } of savingSteps(staging(), onDay(after))) run()
})

async function steps() {
  const placed = await examineSave({ name, top: dir, folder: join(staging(), name) })
  return swapSteps(dir, name, placed === undefined ? '' : digestOf(placed))
}
const day = () => loadSave(saves, name)?.date.day
/** What is next to the save. */
const others = () => readdirSync(saves).filter((one) => one !== name)

const restoring = [
  'nothing',
  'the journal',
  'the old save is moved aside',
  'the new save is put in its place',
  'it is confirmed',
  'what is in no backup is kept',
  '.farmgate-restore-old is removed',
  '.farmgate-restore-new is removed',
  '.farmgate-restore.json.new is removed',
  '.farmgate-restore.json is removed',
] as const

describe.each(restoring)('a restore that is killed after: %s', (last) => {
  const made = restoring.indexOf(last)
  const isConfirmed = made >= restoring.indexOf('it is confirmed')
  const isPlaced = last === 'the new save is put in its place'

  test(`leaves the ${isConfirmed ? 'new' : 'old'} save whole once farmgate starts again`, async () => {
    const { place, confirm, finish } = await steps()
    const all = [...place, confirm, ...finish]
    expect(all.map(({ what }) => what)).toEqual(restoring.slice(1))
    await runAll(all.slice(0, made))
    expect(others().every((one) => one.startsWith('.'))).toBe(true)
    const isOpen = made > 0 && made < restoring.length - 1
    expect(await recoverSwap(dir, now)).toEqual(
      isOpen
        ? { save: name, owed: isPlaced ? owed : undefined, end: isConfirmed ? 'finished' : 'undone' }
        : undefined,
    )
    expect([day(), others()]).toEqual([
      isConfirmed ? after : before,
      isPlaced ? ['.farmgate-restore.json'] : [],
    ])
    await forgetReload(dir)
    expect(await recoverSwap(dir, now)).toBeUndefined()
    expect(others()).toEqual([])
  })
})

/** The game might have loaded the save of the backup. */
const owed = { day: onDay(after).date, undoneAt: now }

test.each([0, 1, 2, 3, 4, 5, 6, 7])(
  'an undo that is killed after %i of its steps is undone by the next start, which knows that the game must reload',
  async (made) => {
    const { place } = await steps()
    await runAll(place)
    const undo = undoSteps(dir, name, owed)
    expect(undo).toHaveLength(7)
    await runAll(undo.slice(0, made))
    expect(await recoverSwap(dir, now)).toMatchObject({ owed })
    expect([day(), others()]).toEqual([before, ['.farmgate-restore.json']])
    expect(await recoverSwap(dir, now + 1)).toEqual({ save: name, end: 'undone_before', owed })
    await forgetReload(dir)
    expect([await recoverSwap(dir, now), day(), others()]).toEqual([undefined, before, []])
  },
)

test('nights that the game has saved after the new save was placed are kept', async () => {
  const { place } = await steps()
  await runAll(place)
  for (const { run } of savingSteps(saves, onDay(after + 1))) run()
  expect(await recoverSwap(dir, now)).toEqual({ save: name, end: 'finished', owed: undefined })
  expect([day(), others()]).toEqual([after + 1, []])
})

test('a restore is undone when the new save has half of what the game was writing', async () => {
  const { place } = await steps()
  await runAll(place)
  for (const { run } of savingSteps(saves, onDay(after + 1)).slice(0, 4)) run()
  expect(await recoverSwap(dir, now)).toMatchObject({ end: 'undone' })
  expect([day(), others()]).toEqual([before, ['.farmgate-restore.json']])
})

test('a restore is undone when the volume was copied to another disk in between', async () => {
  const { place } = await steps()
  await runAll(place)
  cpSync(saves, `${saves}.copy`, { recursive: true, preserveTimestamps: true })
  rmSync(saves, { recursive: true })
  renameSync(`${saves}.copy`, saves)
  expect(await recoverSwap(dir, now)).toMatchObject({ end: 'undone' })
  expect([day(), others()]).toEqual([before, ['.farmgate-restore.json']])
})
