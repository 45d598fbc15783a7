/** The subject: the control API, before the game at an address or on a simulated farm, with rates raised. */
import pino from 'pino'
import { systemClock } from '../../runtime/bridges/simulated/clock.ts'
import { simulatedFarm } from '../../runtime/bridges/simulated/simulated-farm.ts'
import { upstreamBridge } from '../../runtime/bridges/upstream/bridge.ts'
import { digestOf, keyCheck } from '../../runtime/http/keys.ts'
import { startServer } from '../../runtime/node/server.ts'
import { serveSubject } from '../measure.ts'

const [key = '', url] = process.argv.slice(2)
const log = pino({ level: 'warn' })

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
const game = url === undefined ? await emptyFarm() : upstreamBridge({ url, key, log })
const unlimited = 0
const server = await startServer(
  {
    game,
    keys: keyCheck(digestOf(key)),
    rates: { reads: unlimited, writes: unlimited, anonymous: unlimited, failedKeys: unlimited },
    allowedOrigins: [],
    publicInviteCodes: false,
    basePath: '',
    trustProxy: 0,
    maxClients: 20_000,
    pages: new Map(),
    log,
  },
  { port: 0, host: '127.0.0.1' },
)
serveSubject({ port: () => server.port })
