/** Which game the API controls (`GAME_BRIDGE` of docs/configuration.md). */
import type { GameBridge } from '../../handlers/game-bridge.ts'
import { systemClock } from '../bridges/simulated/clock.ts'
import { simulatedFarm } from '../bridges/simulated/simulated-farm.ts'
import { upstreamBridge } from '../bridges/upstream/bridge.ts'
import type { Log } from '../log.ts'
import { version } from '../version.ts'
import type { Config } from './config.ts'

export async function openGame(config: Config, log: Log): Promise<GameBridge> {
  if (config.bridge === 'upstream' && config.GAME_API_URL !== undefined)
    return openUpstream(config.GAME_API_URL, config.GAME_API_KEY ?? '', log)
  if (!config.isDemo)
    log.warn(
      { bridge: config.bridge },
      'this is a simulated farm: no game server is controlled; set GAME_API_URL to control one',
    )
  return simulatedFarm({
    seed: config.SIM_SEED,
    speed: config.SIM_SPEED,
    clock: systemClock,
    version,
    ...(config.settings !== undefined && { settings: config.settings }),
    log: (line) => log.info(line, 'player joined'),
  })
}

function openUpstream(url: string, key: string, log: Log): GameBridge {
  const bridge = upstreamBridge({ url, key, log })
  // The game's API tells neither connection nor identity; its own log has them.
  bridge.subscribe((event) => {
    if (event.type === 'player_joined')
      log.info({ player: event.player.name, id: `${event.player.id}` }, 'player joined')
  })
  return bridge
}
