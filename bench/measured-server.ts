/** The control API as the benchmarks measure it: all checks on, rate limits far above the load. */
import pino from 'pino'
import { simulatedFarm } from '../bridges/simulated/simulated-farm.ts'
import type { GameBridge } from '../handlers/game-bridge.ts'
import type { Records } from '../handlers/records.ts'
import { systemClock } from '../lib/clock.ts'
import { digestOf, keyCheck } from '../lib/keys.ts'
import { type RunningServer, startServer } from '../runtime/node/server.ts'
import { portsOf } from '../test/farm-ports.ts'
import { memoryRecords } from '../test/records/memory-records.ts'
import { plainServer } from '../test/runtime/node/plain-server.ts'

const requestsAMinute = 1_000_000_000

export const quietLog = pino({ level: 'warn' })

/** A simulated farm that only the benchmark changes. */
export const steeredFarm = () =>
  simulatedFarm({ seed: 'bench', speed: 1, clock: systemClock, version: 'bench', story: 'steered' })

export const measuredServer = (
  game: GameBridge,
  key: string,
  records: Records = memoryRecords(),
): Promise<RunningServer> =>
  startServer(
    {
      ...plainServer,
      farm: portsOf(game, { records }),
      keys: keyCheck(digestOf(key)),
      rates: {
        reads: requestsAMinute,
        writes: requestsAMinute,
        anonymous: requestsAMinute,
        failedKeys: requestsAMinute,
      },
      maxClients: 20_000,
      log: quietLog,
    },
    { port: 0, host: '127.0.0.1' },
  )
