/** A backup on a file system that turns read-only, as after an error of the disk. */
import { readdirSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { beforeEachDiskChange, type DiskChange } from '../../backups/disk-changes.ts'
import { backupsOf, clover, savedFarm } from '../../backups/saved-farm.ts'
import { aGame } from './a-game.ts'

const readOnly = () => Object.assign(new Error('EROFS: read-only file system'), { code: 'EROFS' })

/**
 * Makes a second backup on a disk that is read-only from one of its steps on. Consecutive writes of one file are one
 * step: how many there are depends on how fast the disk takes them. @param from counted from 1
 */
async function backUpOn(from: number) {
  const saved = savedFarm()
  const reasons: string[] = []
  const game = aGame()
  const open = () => backupsOf(saved, game.game, { onFailed: (reason) => void reasons.push(reason) })
  const { port, close, isFailing } = open()
  onTestFinished(async () => {
    await close()
    saved.remove()
  })
  saved.save()
  game.day(clover.date, 0)
  const first = await port.makeBackup()
  saved.saveAgain()
  const steps: DiskChange[] = []
  const end = beforeEachDiskChange((change) => {
    if (!isDeepStrictEqual(steps.at(-1), change)) steps.push(change)
    if (steps.length >= from) throw readOnly()
  })
  onTestFinished(end)
  const answer = await port.makeBackup().then(
    ({ id }) => id,
    (error: { failure: object }) => error.failure,
  )
  const failing = isFailing()
  end()
  await close()
  const next = open()
  const again = await next.port.makeBackup()
  const { backups } = await next.port.backups()
  await next.close()
  return { first, steps, answer, failing, reasons, again, backups, files: readdirSync(saved.folder).sort() }
}

test('a file system that turns read-only at any step of a backup fails it with EROFS, keeps the earlier ones, and the next one is made', async () => {
  const { steps } = await backUpOn(Number.POSITIVE_INFINITY)
  expect(steps.length).toBeGreaterThan(5)
  for (const [index, step] of steps.entries()) {
    const { first, answer, failing, reasons, again, backups, files } = await backUpOn(index + 1)
    expect([step, answer, failing, reasons]).toEqual([
      step,
      { kind: 'disk_failed', detail: 'EROFS' },
      true,
      ['EROFS'],
    ])
    // If the archive had its name already, the next start finds it.
    expect(backups.map(({ id, verifiedAt }) => [id, verifiedAt !== undefined])).toEqual([
      [again.id, true],
      [first.id, true],
    ])
    expect(files).toEqual([`${first.id}.zip`, `${again.id}.zip`, 'index.json'].sort())
  }
})
