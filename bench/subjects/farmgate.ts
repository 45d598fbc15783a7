/** The subject: the control API on the simulated farm, everything on, rates raised for the run. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
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
const delay = monitorEventLoopDelay({ resolution: 1 })
const [speaker] = (await farm.players()).players
if (speaker === undefined) throw new Error('nobody is online')
serveSubject({
  port: () => server.port,
  /** @returns when it was said, milliseconds since 1970 with fractions */
  say: (text: string, lines: number) => {
    const at = performance.timeOrigin + performance.now()
    for (let line = 0; line < lines; line += 1) farm.controls.say(speaker.id, text)
    return at
  },
  watchLoop: () => {
    delay.enable()
    delay.reset()
  },
  /** Longest block of the event loop since `watchLoop`, milliseconds, the sampling interval included. */
  longestBlock: () => delay.max / 1e6,
})
