/** A stand-in game server and farmgate in front of it, with the same key, so that a client can use either. */
import { digestOf, keyCheck, openToAll } from '../../../lib/keys.ts'
import { startServer } from '../../../runtime/node/server.ts'
import { portsOf } from '../../farm-ports.ts'
import type { GameServerOptions } from '../../game-server/game-server.ts'
import { plainServer } from '../../runtime/node/plain-server.ts'
import { upstreamGame } from '../upstream-game.ts'

/** @param options `key` is both the game's and farmgate's; empty for none */
export async function startPair(options: GameServerOptions & Parameters<typeof upstreamGame>[0] = {}) {
  const { key = '' } = options
  const behind = await upstreamGame(options)
  const gate = await startServer(
    {
      ...plainServer,
      farm: portsOf(behind.bridge),
      keys: key === '' ? openToAll : keyCheck(digestOf(key)),
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
