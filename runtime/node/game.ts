/** Which game the API controls (contract section 1, `GAME_BRIDGE`). */
import type { GameBridge } from '../../handlers/game-bridge.ts'
import { systemClock } from '../bridges/simulated/clock.ts'
import { settingsFromFile } from '../bridges/simulated/settings.ts'
import { simulatedFarm } from '../bridges/simulated/simulated-farm.ts'
import type { Log } from '../log.ts'
import type { Config } from './config.ts'
import { version } from './version.ts'

/** @throws when `server-settings.json` is broken: the message names what is wrong */
export async function openGame(config: Config, log: Log): Promise<GameBridge> {
  log.info({ bridge: config.bridge }, 'this is a simulated farm: no game server is controlled')
  return simulatedFarm({
    seed: config.SIM_SEED,
    speed: config.SIM_SPEED,
    clock: systemClock,
    version,
    ...(config.settings !== undefined && { settings: settingsFromFile(config.settings) }),
    log: (line) => log.info(line, 'player joined'),
  })
}
