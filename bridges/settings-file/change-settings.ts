/** A game whose `server-settings.json` is on this machine, so that its settings can be changed here. */
import { FarmError } from '../../handlers/farm-error.ts'
import { abilities } from '../../handlers/game-abilities.ts'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import type { Settings } from '../../handlers/game-records.ts'
import {
  refusedStrategy,
  type SettingsChange,
  type SettingsPatch,
  type TakesEffect,
} from '../../handlers/settings-change.ts'
import type { OneAtATime } from '../../lib/one-at-a-time.ts'
import { withTimeLimit } from '../../lib/time-limit.ts'
import { settingsFromFile } from './farm-settings.ts'
import { readSettingsFile } from './settings-file.ts'
import { mergeSettings } from './settings-text.ts'

const { budget } = abilities.changeSettings

/**
 * The file can be changed while the game is offline, too.
 * @param path of the file (`SETTINGS_PATH`)
 * @param changes the queue of all who replace this file
 */
export function withSettingsFile<Game extends GameBridge>(
  game: Game,
  path: string,
  changes: OneAtATime,
): Game {
  return {
    ...game,
    changeSettings(patch) {
      // Each begins with the result of the one before.
      const change = changes.run(() => changeFile(path, patch, game))
      return withTimeLimit(budget, change, () => new FarmError({ kind: 'timeout', write: true }))
    },
  }
}

async function changeFile(
  path: string,
  patch: SettingsPatch,
  game: Pick<GameBridge, 'settings' | 'cabins'>,
): Promise<SettingsChange> {
  const [file, loaded] = await Promise.all([readSettingsFile(path), game.settings().catch(() => undefined)])
  const strategy = patch.server?.cabinStrategy
  if (strategy !== undefined) {
    // The file may have a strategy that the game refused: the cabins show the current one.
    const held = await game.cabins().then(
      (cabins) => cabins.strategy,
      () => merge(file.text, {}).settings.server.cabinStrategy,
    )
    const sentence = refusedStrategy(held, strategy)
    if (sentence !== undefined) throw new FarmError({ kind: 'settings_file', sentence })
  }
  const merged = merge(file.text, patch)
  if (merged.changed.length > 0) await file.replace(merged.text)
  return {
    settings: merged.settings,
    changed: merged.changed.map((setting) => ({
      setting,
      takesEffect: effectOf(setting, merged.settings, loaded),
    })),
  }
}

/** @throws {FarmError} settings_file: the game would not read the file */
export function merge(text: string, patch: SettingsPatch) {
  try {
    const merged = mergeSettings(text, patch)
    return { ...merged, settings: settingsFromFile(merged.text).shown }
  } catch (error) {
    const why = error instanceof Error ? error.message : 'server-settings.json cannot be read'
    throw new FarmError({
      kind: 'settings_file',
      sentence: `${why.slice(0, 500)}; correct the file by hand, nothing was changed`,
    })
  }
}

/** @param loaded the settings that the game runs with; undefined while it does not answer */
function effectOf(setting: string, file: Settings, loaded: Settings | undefined): TakesEffect {
  // The game reads it at every load, and places the cabins by it.
  if (setting === 'game.cabinLayoutNearby') return 'reload'
  // The game reads these when it makes a world.
  if (setting.startsWith('game.') || setting === 'server.separateWallets') return 'new_game'
  const now = new Map<string, unknown>(Object.entries(loaded?.server ?? {}))
  const next = new Map<string, unknown>(Object.entries(file.server))
  const name = setting.replace('server.', '')
  return now.has(name) && now.get(name) === next.get(name) ? 'now' : 'reload'
}
