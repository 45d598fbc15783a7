/** The subject: the control API, before the game at an address or on a simulated farm, with rates raised. */
import { systemClock } from '../../runtime/bridges/simulated/clock.ts'
import { simulatedFarm } from '../../runtime/bridges/simulated/simulated-farm.ts'
import { upstreamBridge } from '../../runtime/bridges/upstream/bridge.ts'
import { serveSubject } from '../measure.ts'
import { measuredServer, quietLog } from '../measured-server.ts'

const [key = '', url] = process.argv.slice(2)

/** Nobody is there, as at the stand-in: both answer the same bytes, but for their version. */
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
