/** The control API as the benchmarks measure it: all checks on, rate limits far above the load. */
import pino from 'pino'
import type { GameBridge } from '../handlers/game-bridge.ts'
import { digestOf, keyCheck } from '../runtime/http/keys.ts'
import { type RunningServer, startServer } from '../runtime/node/server.ts'
import { memoryRecords } from '../test/records/memory-records.ts'

const requestsAMinute = 1_000_000_000

export const quietLog = pino({ level: 'warn' })

export const measuredServer = (game: GameBridge, key: string): Promise<RunningServer> =>
  startServer(
    {
      game,
      records: memoryRecords(),
      keys: keyCheck(digestOf(key)),
      rates: {
        reads: requestsAMinute,
        writes: requestsAMinute,
        anonymous: requestsAMinute,
        failedKeys: requestsAMinute,
      },
      allowedOrigins: [],
      publicInviteCodes: false,
      basePath: '',
      trustProxy: 0,
      maxClients: 20_000,
      pages: new Map(),
      log: quietLog,
    },
    { port: 0, host: '127.0.0.1' },
  )
