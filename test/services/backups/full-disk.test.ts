/** A restore on a disk that is full at each of its changes: once, and from then on. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { loadSave } from '../../../bridges/simulated/save-files.ts'
import { beforeEachDiskChange, type DiskChange, noSpace } from '../../backups/disk-changes.ts'
import { savedFarm } from '../../backups/saved-farm.ts'
import { farmToRestore } from './farm-to-restore.ts'
import { atDay9, name, started } from './loading-game.ts'

/** Restores with a failing disk. @param isFull called before each change; changes count from 1 */
async function restoreOn(isFull: (at: number, change: DiskChange) => boolean) {
  const saved = savedFarm()
  const { id, port, close } = await atDay9(saved)
  const changes: DiskChange[] = []
  const end = beforeEachDiskChange((change) => {
    changes.push(change)
    if (isFull(changes.length, change)) throw noSpace()
  })
  onTestFinished(end)
  const answer = await port.restoreBackup(id, false).then(
    () => 'restored',
    (error: { failure: { kind: string } }) => error.failure.kind,
  )
  await close()
  end()
  const day = () => loadSave(saved.saves, name)?.date.day
  const before = { day: day(), others: readdirSync(saved.saves).filter((one) => one !== name) }
  const next = started(saved)
  await next.port.restoreBackup(id, true)
  const after = { day: day(), others: readdirSync(saved.saves).filter((one) => one !== name) }
  await next.close()
  saved.remove()
  return { changes, answer, before, after }
}

const needsSpace = ({ what }: DiskChange) => /^(make|write|folder|sync)$/.test(what)
const wordsOf = ({ what, file }: DiskChange) => `${what} ${file}`

/** Restores with each of some changes failing, and expects a true answer, at once and after the next start. */
async function eachStep(
  isStep: (change: DiskChange) => boolean,
  failingFrom: (step: number) => (at: number, change: DiskChange) => boolean,
) {
  const { changes } = await restoreOn(() => false)
  const steps = changes.flatMap((change, index) => {
    const last = changes[index - 1]
    // Several writes of one file are one step.
    return isStep(change) && (last === undefined || wordsOf(last) !== wordsOf(change)) ? [index + 1] : []
  })
  expect(steps.length).toBeGreaterThan(5)
  for (const step of steps) {
    const failed = changes[step - 1]
    const { answer, before, after } = await restoreOn(failingFrom(step))
    const day = answer === 'restored' ? 5 : 9
    expect({ failed, answer, before: before.day, after }).toEqual({
      failed,
      answer: expect.stringMatching(/^(restored|disk_failed|restore_undone)$/),
      before: day,
      after: { day, others: [] },
    })
  }
}

test('a disk that is full from any step of a restore on leaves the old save or the restored one, and the answer says which', () =>
  eachStep(needsSpace, (step) => (at, change) => at >= step && needsSpace(change)))

test('a rename or a removal that fails at any step of a restore leaves the old save or the restored one, and the answer says which', () =>
  eachStep(
    (change) => !needsSpace(change),
    (step) => (at) => at === step,
  ))

test('an undo that fails too is reported with both errors and where the save is, and the next start puts it back', async () => {
  const { saved, log, atDay9: farmAtDay9, day } = farmToRestore()
  const { id, port, close } = await farmAtDay9()
  let errors = 0
  const end = beforeEachDiskChange(({ what, file }) => {
    if (what !== 'rename' || file !== name || !existsSync(join(saved.saves, '.farmgate-restore-old'))) return
    errors += 1
    throw Object.assign(new Error(`error ${errors}`), { code: 'EIO' })
  })
  onTestFinished(end)
  await expect(port.restoreBackup(id, false)).rejects.toMatchObject({
    failure: {
      kind: 'disk_failed',
      detail:
        'EIO; the restore could not be undone, so the save from before may still be .farmgate-restore-old in Saves: the next start or restore puts it back',
    },
  })
  await close()
  end()
  expect(log.filter(({ level }) => level === 'error')).toEqual([
    {
      level: 'error',
      message: 'a restore could not be undone',
      fields: { cause: 'Error: error 2', failure: 'Error: error 1' },
    },
  ])
  expect([day(), readdirSync(saved.saves)]).toEqual([
    undefined,
    expect.arrayContaining(['.farmgate-restore-old']),
  ])
  const next = started(saved)
  await next.port.restoreBackup(id, true)
  await next.close()
  expect([day(), readdirSync(saved.saves)]).toEqual([9, [name]])
})
