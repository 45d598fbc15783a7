/** The stand-in with a disk as a process that farmgate starts and stops by commands (`GAME_HOST=command`). */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type GameSave, savingSteps } from '../../bridges/simulated/save-files.ts'
import { clover } from '../backups/saved-farm.ts'
import { newFolder } from '../new-folder.ts'
import { pointTo, startSavedGame } from './saved-game.ts'

export const key = 'canary-right-farm-right-farm'
/** The name of the save that it plays. */
export const cloverSave = 'Clover_123456789'

/** A game that plays Clover, and the variables of its farmgate. */
export async function hostedGame() {
  const folder = newFolder()
  const at = (name: string) => join(folder, name)
  const savesDir = at('game')
  const saves = join(savesDir, 'Saves')
  const settingsPath = at('settings/server-settings.json')
  mkdirSync(saves, { recursive: true })
  mkdirSync(at('settings'))
  writeFileSync(settingsPath, '{"Game":{"FarmName":"Junimo"},"Server":{}}')
  const save = (more: Partial<GameSave>) => {
    for (const { run } of savingSteps(saves, { ...clover, ...more })) run()
  }
  save({})
  pointTo(savesDir, cloverSave)
  const game = await startSavedGame({ savesDir, settingsPath, snapshotEvery: 20 })
  const asked: string[] = []
  const orders = { start: game.start, stop: () => game.stop() }
  /** What happens instead of the next order of this name. */
  const instead: Partial<Record<keyof typeof orders, () => unknown>> = {}
  let isBusy = false
  const look = async () => {
    if (isBusy) return
    isBusy = true
    for (const name of ['stop', 'start'] as const) {
      if (!existsSync(at(name))) continue
      asked.push(name)
      await (instead[name] ?? orders[name])()
      if (name === 'start') writeFileSync(at('running'), '')
      else rmSync(at('running'), { force: true })
      rmSync(at(name), { force: true })
    }
    // It can also end without an order.
    if (game.process.isRunning) writeFileSync(at('running'), '')
    else rmSync(at('running'), { force: true })
    isBusy = false
  }
  writeFileSync(at('running'), '')
  const looking = setInterval(() => void look(), 20)
  onTestFinished(async () => {
    clearInterval(looking)
    await game.end()
  })
  const command = (order: string) =>
    JSON.stringify(['/bin/sh', '-c', `touch ${at(order)}; while test -e ${at(order)}; do sleep 0.02; done`])
  return {
    game,
    savesDir,
    saves,
    settingsPath,
    save,
    /** The orders that it got, oldest first. */
    asked: asked as readonly string[],
    instead,
    env: {
      API_KEY: key,
      GAME_API_URL: game.url,
      DATA_DIR: at('data'),
      BACKUP_DIR: at('backups'),
      SAVES_DIR: savesDir,
      SETTINGS_PATH: settingsPath,
      RATE_LIMIT_READS: '0',
      RATE_LIMIT_WRITES: '0',
      GAME_HOST: 'command',
      GAME_WATCHDOG: 'off',
      GAME_START: command('start'),
      GAME_STOP: command('stop'),
      GAME_RUNNING: JSON.stringify(['/usr/bin/test', '-e', at('running')]),
    },
  }
}
