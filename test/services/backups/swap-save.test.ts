/** A restore that is killed at each of its steps leaves the old save or the new one whole, and nothing else. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { loadSave, savingSteps } from '../../../bridges/simulated/save-files.ts'
import { examineSave } from '../../../services/backups/examine-save.ts'
import {
  digestOf,
  recoverSwap,
  runAll,
  stagingName,
  swapSteps,
  undoSteps,
} from '../../../services/backups/swap-save.ts'

const name = 'Clover_123456789'
const onDay = (day: number) => ({
  farmName: 'Clover',
  farmId: 123_456_789,
  date: { season: 'summer', day, year: 2 } as const,
  host: 'Robin',
  farmhands: [],
  gameVersion: '1.6.15',
})
/** The save that is there, and the one of the backup. */
const [before, after] = [9, 5]

/** `SAVES_DIR`, and the folder of all saves in it. */
let dir = ''
let saves = ''
const staging = () => join(saves, stagingName)
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'swap-save-'))
  saves = join(dir, 'Saves')
  for (const { run } of savingSteps(saves, onDay(before))) run()
  mkdirSync(staging())
  for (const { run } of savingSteps(staging(), onDay(after))) run()
})
afterEach(() => rmSync(dir, { recursive: true }))

async function steps() {
  const placed = await examineSave({ name, top: dir, folder: join(staging(), name) })
  return swapSteps(dir, name, placed === undefined ? '' : digestOf(placed))
}
const day = () => loadSave(saves, name)?.date.day
/** What is beside the save. */
const beside = () => readdirSync(saves).filter((one) => one !== name)

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

  test(`leaves the ${isConfirmed ? 'new' : 'old'} save whole once farmgate starts again`, async () => {
    const { place, confirm, finish } = await steps()
    const all = [...place, confirm, ...finish]
    expect(all.map(({ what }) => what)).toEqual(restoring.slice(1))
    await runAll(all.slice(0, made))
    expect(beside().every((one) => one.startsWith('.'))).toBe(true)
    const isOpen = made > 0 && made < restoring.length - 1
    expect(await recoverSwap(dir)).toEqual(
      isOpen
        ? { save: name, wasPlaced: expect.any(Boolean), end: isConfirmed ? 'finished' : 'undone' }
        : undefined,
    )
    expect([day(), beside()]).toEqual([isConfirmed ? after : before, []])
    expect(await recoverSwap(dir)).toBeUndefined()
  })
})

test.each([0, 1, 2, 3, 4, 5, 6])(
  'an undo that is killed after %i of its steps is undone by the next start',
  async (made) => {
    const { place } = await steps()
    await runAll(place)
    const undo = undoSteps(dir, name)
    expect(undo).toHaveLength(6)
    await runAll(undo.slice(0, made))
    await recoverSwap(dir)
    expect([day(), beside()]).toEqual([before, []])
  },
)

test('nights that the game has saved after the new save was placed are not taken away', async () => {
  const { place } = await steps()
  await runAll(place)
  for (const { run } of savingSteps(saves, onDay(after + 1))) run()
  expect(await recoverSwap(dir)).toEqual({ save: name, end: 'finished', wasPlaced: true })
  expect([day(), beside()]).toEqual([after + 1, []])
})

test('a restore is undone when the new save holds half of what the game was writing', async () => {
  const { place } = await steps()
  await runAll(place)
  for (const { run } of savingSteps(saves, onDay(after + 1)).slice(0, 4)) run()
  expect(await recoverSwap(dir)).toMatchObject({ end: 'undone' })
  expect([day(), beside()]).toEqual([before, []])
})

test('a restore is undone when the volume was copied to another disk meanwhile', async () => {
  const { place } = await steps()
  await runAll(place)
  cpSync(saves, `${saves}.copy`, { recursive: true, preserveTimestamps: true })
  rmSync(saves, { recursive: true })
  renameSync(`${saves}.copy`, saves)
  expect(await recoverSwap(dir)).toMatchObject({ end: 'undone' })
  expect([day(), beside()]).toEqual([before, []])
})
