/** The control API with high rate limits, on the game server at an address, or on a simulated farm if none is given. */

import { simulatedFarm } from '../../runtime/bridges/simulated/simulated-farm.ts'
import { upstreamBridge } from '../../runtime/bridges/upstream/bridge.ts'
import { systemClock } from '../../runtime/clock.ts'
import { serveSubject } from '../measure.ts'
import { measuredServer, quietLog } from '../measured-server.ts'

const [key = '', url] = process.argv.slice(2)

/** A simulated farm without players, so that its answers differ from the stand-in's only in the version. */
async function emptyFarm() {
  const farm = simulatedFarm({
    seed: 'bench',
    speed: 1,
    clock: systemClock,
    version: 'bench',
    story: 'steered',
  })
  for (const { id } of (await farm.players()).players) farm.controls.leave(id)
  return farm
}
const game = url === undefined ? await emptyFarm() : upstreamBridge({ url, key, log: quietLog })
const server = await measuredServer(game, key)
serveSubject({ port: () => server.port })
