/** A restore that is killed at each of its steps leaves the old save or the new one whole, and nothing else. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { loadSave, savingSteps } from '../../../bridges/simulated/save-files.ts'
import { stateOf } from '../../../services/backups/examine-save.ts'
import { recoverSwap, runAll, stagingOf, swapSteps, undoSteps } from '../../../services/backups/swap-save.ts'

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

let saves = ''
beforeEach(() => {
  saves = mkdtempSync(join(tmpdir(), 'swap-save-'))
  for (const { run } of savingSteps(saves, onDay(before))) run()
  mkdirSync(stagingOf(saves))
  for (const { run } of savingSteps(stagingOf(saves), onDay(after))) run()
})
afterEach(() => rmSync(saves, { recursive: true }))

async function steps() {
  const placed = await stateOf({ name, folder: join(stagingOf(saves), name) })
  return swapSteps(saves, name, placed?.text ?? '')
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
    expect(await recoverSwap(saves)).toEqual(
      isOpen ? { save: name, end: isConfirmed ? 'finished' : 'undone' } : undefined,
    )
    expect([day(), beside()]).toEqual([isConfirmed ? after : before, []])
    expect(await recoverSwap(saves)).toBeUndefined()
  })
})

test.each([0, 1, 2, 3, 4, 5, 6])(
  'an undo that is killed after %i of its steps is undone by the next start',
  async (made) => {
    const { place } = await steps()
    await runAll(place)
    const undo = undoSteps(saves, name)
    expect(undo).toHaveLength(6)
    await runAll(undo.slice(0, made))
    await recoverSwap(saves)
    expect([day(), beside()]).toEqual([before, []])
  },
)

test('nights that the game has saved after the new save was placed are not taken away', async () => {
  const { place } = await steps()
  await runAll(place)
  for (const { run } of savingSteps(saves, onDay(after + 1))) run()
  expect(await recoverSwap(saves)).toEqual({ save: name, end: 'finished' })
  expect([day(), beside()]).toEqual([after + 1, []])
})

test('a game that is killed in its night after that keeps what it had written', async () => {
  const { place } = await steps()
  await runAll(place)
  for (const { run } of savingSteps(saves, onDay(after + 1)).slice(0, 4)) run()
  expect(await recoverSwap(saves)).toMatchObject({ end: 'finished' })
  expect([day(), beside()]).toEqual([after, []])
})
