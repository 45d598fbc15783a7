/** Several saves of one farm's name, and a farm whose folder was renamed. */
import { existsSync, renameSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { loadSave } from '../../../bridges/simulated/save-files.ts'
import { type SavedFarm, savedFarm } from '../../backups/saved-farm.ts'
import { name, started, summer } from './loading-game.ts'

let saved: SavedFarm
beforeEach(() => {
  saved = savedFarm()
  return () => saved.remove()
})

/** The game plays day 14; another farm of the same name was written after it. */
function playing() {
  saved.save(summer(14))
  const { game, port, close } = started(saved)
  saved.save({ ...summer(25), farmId: 222 })
  const later = Date.now() / 1000 + 60
  utimesSync(join(saved.saves, 'Clover_222/Clover_222'), later, later)
  onTestFinished(close)
  return { game, port }
}

test('of two saves with one farm name the one that the game plays is backed up and restored', async () => {
  const { game, port } = playing()
  const { id, day } = await port.makeBackup()
  expect(day).toBe(14)
  await expect(port.restoreBackup(id, false)).resolves.toMatchObject({ safetyBackup: expect.any(String) })
  expect(game.loads).toBe(1)
})

test('a backup of a farm whose folder was renamed since is restored under the new name', async () => {
  saved.save(summer(5))
  const first = started(saved)
  const { id } = await first.port.makeBackup()
  await first.close()
  const moved = 'Old_123456789'
  renameSync(join(saved.saves, name), join(saved.saves, moved))
  saved.save(summer(9), moved)
  const { game, port, close } = started(saved, [], {}, moved)
  onTestFinished(close)
  await port.restoreBackup(id, false)
  expect(game.loads).toBe(1)
  expect(loadSave(saved.saves, moved)?.date.day).toBe(5)
  expect(existsSync(join(saved.saves, name))).toBe(false)
})
