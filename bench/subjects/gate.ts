/** The control API with high rate limits, with the game server at an address, or a simulated farm if none is given. */

import { upstreamBridge } from '../../bridges/upstream/bridge.ts'
import { serveSubject } from '../measure.ts'
import { measuredServer, quietLog, steeredFarm } from '../measured-server.ts'

const [key = '', url] = process.argv.slice(2)

/** A simulated farm without players, so that its answers differ from the stand-in's only in the version. */
async function emptyFarm() {
  const farm = steeredFarm()
  for (const { id } of (await farm.players()).players) farm.controls.leave(id)
  return farm
}
const game = url === undefined ? await emptyFarm() : upstreamBridge({ url, key, log: quietLog })
const server = await measuredServer(game, key)
serveSubject({ port: () => server.port })
