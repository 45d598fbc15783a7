/** The subject: the control API on the simulated farm, everything on, rates raised for the run. */
import pino from 'pino'
import { systemClock } from '../../runtime/bridges/simulated/clock.ts'
import { simulatedFarm } from '../../runtime/bridges/simulated/simulated-farm.ts'
import { digestOf, keyCheck } from '../../runtime/http/keys.ts'
import { startServer } from '../../runtime/node/server.ts'
import { serveSubject } from '../measure.ts'

const [key = ''] = process.argv.slice(2)
const farm = simulatedFarm({
  seed: 'bench',
  speed: 1,
  clock: systemClock,
  version: 'bench',
  story: 'steered',
})
const raised = 1_000_000_000
const server = await startServer(
  {
    game: farm,
    keys: keyCheck(digestOf(key)),
    rates: { reads: raised, writes: raised, anonymous: raised, failedKeys: raised },
    allowedOrigins: [],
    publicInviteCodes: false,
    basePath: '',
    trustProxy: 0,
    maxClients: 20_000,
    pages: new Map(),
    log: pino({ level: 'warn' }),
  },
  { port: 0, host: '127.0.0.1' },
)
serveSubject({ port: () => server.port })
