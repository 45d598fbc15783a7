/** Opens the game that the API controls (`GAME_BRIDGE` of docs/configuration.md). */
import { readFileSync } from 'node:fs'
import { withSettingsFile } from '../../bridges/settings-file/change-settings.ts'
import { type FarmSettings, settingsFromFile } from '../../bridges/settings-file/farm-settings.ts'
import { savesBelow } from '../../bridges/simulated/saved-farm.ts'
import { simulatedFarm } from '../../bridges/simulated/simulated-farm.ts'
import { type UpstreamOptions, upstreamBridge } from '../../bridges/upstream/bridge.ts'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import { systemClock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { OneAtATime } from '../../lib/one-at-a-time.ts'
import { version } from '../../lib/version.ts'
import type { Config } from './config.ts'

/**
 * @param callEnded called when a call to a game server ends, with its seconds
 * @param settingsChanges the queue of all who replace the settings file
 */
export function openGame(
  config: Config,
  log: Log,
  callEnded: (seconds: number) => void,
  settingsChanges: OneAtATime,
): GameBridge {
  const game = opened(config, log, callEnded)
  return config.SETTINGS_PATH === undefined
    ? game
    : withSettingsFile(game, config.SETTINGS_PATH, settingsChanges)
}

function opened(config: Config, log: Log, callEnded: (seconds: number) => void): GameBridge {
  if (config.bridge === 'upstream' && config.GAME_API_URL !== undefined)
    return openUpstream({ url: config.GAME_API_URL, key: config.GAME_API_KEY ?? '', log, callEnded })
  if (config.demo === undefined)
    log.warn(
      { bridge: config.bridge },
      'this is a simulated farm: no game server is controlled; set GAME_API_URL to control one',
    )
  const farm = simulatedFarm({
    seed: config.SIM_SEED,
    speed: config.SIM_SPEED,
    clock: systemClock,
    version,
    ...(config.SAVES_DIR !== undefined && {
      saves: savesBelow(config.SAVES_DIR, (error) =>
        log.warn({ cause: String(error) }, 'the simulated farm could not be saved'),
      ),
    }),
    ...(config.settings !== undefined && { settings: config.settings }),
    readSettings: () => settingsAt(config.SETTINGS_PATH),
    log: (line) => log.info(line, 'player joined'),
  })
  config.demo?.opened(farm)
  return farm
}

/** @returns undefined for no file, or an unreadable one */
function settingsAt(path: string | undefined): FarmSettings | undefined {
  if (path === undefined) return undefined
  try {
    return settingsFromFile(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}

function openUpstream(options: UpstreamOptions): GameBridge {
  const { log } = options
  const bridge = upstreamBridge(options)
  // The game's API shows neither the connection nor the account of a player; the game's own log does.
  bridge.subscribe((event) => {
    if (event.type === 'player_joined')
      log.info({ player: event.player.name, id: `${event.player.id}` }, 'player joined')
  })
  return bridge
}

/** @returns a function that returns the farm's name, or undefined until the game has reported it */
export function farmName(game: GameBridge): () => string | undefined {
  let name: string | undefined
  const setName = (reported: string) => {
    if (reported !== '') name = reported
  }
  game.subscribe((event) => {
    if (event.type === 'status_changed') setName(event.status.farmName)
  })
  void game.status().then(({ farmName }) => setName(farmName))
  return () => name
}
