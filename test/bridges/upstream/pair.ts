/** A stand-in game server and farmgate in front of it, with the same key, so that a client can use either. */
import { digestOf, keyCheck, openToAll } from '../../../lib/keys.ts'
import { startServer } from '../../../runtime/node/server.ts'
import { noHost } from '../../../services/host/no-host.ts'
import type { GameServerOptions } from '../../game-server/game-server.ts'
import { silent } from '../../logs.ts'
import { memoryRecords } from '../../records/memory-records.ts'
import { noBackups } from '../../records/no-backups.ts'
import { noSchedules } from '../../records/no-schedules.ts'
import { upstreamGame } from '../upstream-game.ts'

const unlimited = 0

/** @param options `key` is both the game's and farmgate's; empty for none */
export async function startPair(options: GameServerOptions & Parameters<typeof upstreamGame>[0] = {}) {
  const { key = '' } = options
  const behind = await upstreamGame(options)
  const gate = await startServer(
    {
      farm: {
        game: behind.bridge,
        records: memoryRecords(),
        backups: noBackups,
        host: noHost,
        schedules: noSchedules,
      },
      keys: key === '' ? openToAll : keyCheck(digestOf(key)),
      rates: { reads: unlimited, writes: unlimited, anonymous: unlimited, failedKeys: unlimited },
      allowedOrigins: [],
      publicInviteCodes: false,
      refusalsAs200: false,
      basePath: '',
      trustProxy: 0,
      maxClients: 2000,
      pages: new Map(),
      log: silent,
    },
    { port: 0, host: '127.0.0.1' },
  )
  return {
    ...behind,
    gate,
    async close() {
      await gate.stop(100)
      await behind.close()
    },
  }
}
