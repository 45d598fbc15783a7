/** The stand-in game server with a disk does what the real one does (its faults, above all). */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { savingSteps } from '../../../bridges/simulated/save-files.ts'
import { clover } from '../../backups/saved-farm.ts'
import {
  pointedTo,
  pointerPath,
  pointTo,
  type SavedGameOptions,
  startSavedGame,
} from '../../game-server/saved-game.ts'
import { newFolder } from '../../new-folder.ts'
import { eventually } from '../../wait.ts'

const name = 'Clover_123456789'

async function playing(more: Partial<SavedGameOptions> = {}) {
  const savesDir = newFolder()
  const saves = join(savesDir, 'Saves')
  mkdirSync(saves)
  for (const { run } of savingSteps(saves, clover)) run()
  pointTo(savesDir, name)
  const game = await startSavedGame({ savesDir, snapshotEvery: 20, ...more })
  onTestFinished(() => game.end())
  const restart = async () => {
    await game.stop()
    await game.start()
  }
  const post = (path: string, body = '{}') => fetch(`${game.url}${path}`, { method: 'POST', body })
  return { game, savesDir, saves, restart, post }
}

test('the stand-in reads its pointer when it starts only, and creates a farm where it names nothing', async () => {
  const { game, savesDir, restart } = await playing()
  expect(game.world).toMatchObject({ farmName: 'Clover', day: 5 })
  pointTo(savesDir, 'Nothing_1')
  await fetch(`${game.url}/reload`, { method: 'POST', body: '' })
  expect(game.world).toMatchObject({ farmName: 'Clover', day: 5 })
  await restart()
  expect(game.world).toMatchObject({ farmName: 'Junimo', day: 1 })
})

test('the stand-in has both faults of /newgame: a pointer to a folder that never exists, and old farmhands', async () => {
  const { game, savesDir, saves, restart, post } = await playing()
  await post('/newgame', '{"farmName":"EM"}')
  expect(game.world.farmhands.map((one) => one.name)).toEqual(expect.arrayContaining(['Abby']))
  game.night()
  const [folder = ''] = readdirSync(saves).filter((one) => one !== name)
  const pointer = pointedTo(savesDir) ?? ''
  expect(folder).toMatch(/^Clover_\d+$/)
  expect(pointer).toBe(folder.replace('Clover', 'EM'))
  await restart()
  expect(game.world).toMatchObject({ farmName: 'Junimo', day: 1 })
})

test("the stand-in imports a person's farm as it is, or with its owner as a farmhand", async () => {
  const { game, savesDir, saves } = await playing()
  const theirs = { ...clover, farmName: 'Oak', farmId: 7, host: 'Robin', farmhands: ['Sam'] }
  for (const { run } of savingSteps(saves, theirs)) run()
  expect(game.type(`saves import ${name}`)).toContainEqual(expect.stringMatching(/refusing to reload/i))
  const swap = 'saves import Oak_7 --swap-host-to 76561198000000001'
  expect(game.type(swap)).toContainEqual(expect.stringContaining("'Robin' is now a farmhand"))
  expect(game.type('saves import Oak_7')).toContainEqual(expect.stringMatching(/did not complete/))
  game.type(`${swap} --reload`)
  expect(game.played()).toMatchObject({ folder: 'Oak_7', save: { host: 'Server' } })
  expect(pointedTo(savesDir)).toBe('Oak_7')
  expect(readFileSync(join(saves, 'Oak_7/farmhand-ownership.json'), 'utf8')).toContain('76561198000000001')
})

test('the stand-in ends when it has not accepted connections for its time, and takes settings for new worlds', async () => {
  const settingsPath = join(newFolder(), 'server-settings.json')
  writeFileSync(settingsPath, '{"Game":{"FarmName":"Fern"}}')
  const { game, savesDir } = await playing({ endsAfter: 20, settingsPath })
  game.acceptConnections(false)
  await eventually(() => expect(game.process).toMatchObject({ isRunning: false, exitCode: 1 }))
  writeFileSync(pointerPath(savesDir), 'null')
  await game.start()
  expect(game.world.farmName).toBe('Fern')
  expect(existsSync(join(savesDir, 'Saves', name))).toBe(true)
})
