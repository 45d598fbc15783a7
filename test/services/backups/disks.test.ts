/** Backups with a read-only volume, and with a full disk; each in a separate process. */
import { execFile } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { saveName } from '../../../bridges/simulated/save-files.ts'
import { clover, type SavedFarm, savedFarm } from '../../backups/saved-farm.ts'
import type { DiskOutcome } from './disk-child.ts'

const child = fileURLToPath(new URL('disk-child.ts', import.meta.url))
const otherUser = 65_534

function aFarm(): SavedFarm {
  const farm = savedFarm()
  onTestFinished(farm.remove)
  return farm
}

async function run(
  { savesDir, folder }: SavedFarm,
  shell: string,
  user = '',
  thenRestores = false,
): Promise<DiskOutcome> {
  const order = [savesDir, folder, user, String(thenRestores)]
  const args = ['-c', `${shell} exec "$0" "$@"`, process.execPath, child, ...order]
  return JSON.parse((await promisify(execFile)('sh', args)).stdout)
}

/** Saves of another user. Root can do anything under any mode, so it becomes a user without rights. */
function ofAnotherUser(): SavedFarm {
  const farm = aFarm()
  farm.save()
  mkdirSync(farm.folder)
  if (process.getuid?.() === 0) {
    chownSync(farm.folder, otherUser, otherUser)
    chmodSync(dirname(farm.folder), 0o755)
  }
  return farm
}

test('an unreadable stray file or folder is left out with a warning, and does not stop the backup', async () => {
  const farm = ofAnotherUser()
  const at = (path: string) => join(farm.saves, saveName(clover), path)
  mkdirSync(at('listed'))
  for (const path of ['stray', 'listed/stray', 'readable']) writeFileSync(at(path), 'stray')
  mkdirSync(at('closed'))
  for (const path of ['stray', 'closed']) chmodSync(at(path), 0)
  // Its names can be read, and nothing in it.
  chmodSync(at('listed'), 0o444)
  onTestFinished(() => {
    for (const path of ['listed', 'closed']) chmodSync(at(path), 0o755)
  })
  const { made, log } = await run(farm, '', String(otherUser))
  expect(made).toMatchObject({ day: 5, verifiedAt: expect.any(String) })
  const warnings = log.filter(({ level }) => level === 'warn')
  expect(warnings.map(({ message, fields }) => [message, fields])).toEqual([
    [
      'the backup leaves out files that farmgate cannot read or an archive cannot hold',
      { id: expect.any(String), files: expect.arrayContaining(['closed', 'listed', 'stray']), count: 3 },
    ],
  ])
})

test('a save whose own file cannot be read is not backed up, and log and webhook report it', async () => {
  const farm = ofAnotherUser()
  chmodSync(join(farm.saves, saveName(clover), saveName(clover)), 0)
  const { made, list, reasons, isFailing } = await run(farm, '', String(otherUser))
  expect(made).toEqual({ kind: 'disk_failed', detail: 'EACCES' })
  expect([list.backups, isFailing, reasons]).toEqual([[], true, ['EACCES']])
})

test('a save whose SaveGameInfo cannot be read is not backed up', async () => {
  const farm = ofAnotherUser()
  chmodSync(join(farm.saves, saveName(clover), 'SaveGameInfo'), 0)
  const { made, list } = await run(farm, '', String(otherUser))
  expect(made).toMatchObject({ kind: 'unsupported' })
  expect(list.backups).toEqual([])
})

test('read-only saves are listed, backed up, shown as read_only, and cannot be restored or added to: unsupported', async () => {
  const farm = ofAnotherUser()
  chmodSync(farm.saves, 0o555)
  onTestFinished(() => chmodSync(farm.saves, 0o755))
  const { made, list, restored, listed, uploaded } = await run(farm, '', String(otherUser), true)
  expect(listed).toEqual(['Clover_123456789'])
  expect(uploaded).toMatchObject({ kind: 'unsupported', what: expect.stringContaining('SAVES_ACCESS=rw') })
  expect(made).toMatchObject({ day: 5, verifiedAt: expect.any(String) })
  expect(list.state.saves).toBe('read_only')
  expect(restored).toMatchObject({ kind: 'unsupported' })
  expect(readdirSync(farm.saves)).toEqual(['Clover_123456789'])
})

test('on a full disk no backup is made, nothing is left of it, and log and webhook report it once', async () => {
  const farm = aFarm()
  farm.save({ bytes: 3_000_000 })
  // The largest file in half-kilobytes: a disk that is full beyond it.
  const full = await run(farm, 'ulimit -f 64 &&')
  const failed = { kind: 'disk_failed', detail: 'EFBIG' }
  expect(full).toMatchObject({ made: failed, again: failed, isFailing: true, reasons: ['EFBIG'] })
  expect(full.list.backups).toEqual([])
  expect(full.log.map(({ level, message }) => [level, message])).toEqual([
    ['error', 'the save could not be backed up'],
  ])
  expect(readdirSync(farm.folder)).toEqual([])
  const roomy = await run(farm, '')
  expect(roomy).toMatchObject({ made: { day: 5 }, isFailing: false, reasons: [] })
})
