/** The upstream bridge with its own stand-in game server and with limits short enough for tests. */

import { upstreamBridge } from '../../bridges/upstream/bridge.ts'
import { defaultLimits, type Limits } from '../../bridges/upstream/limits.ts'
import { type AbilityName, abilities } from '../../handlers/game-abilities.ts'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import type { Clock } from '../../lib/clock.ts'
import { type GameServer, type GameServerOptions, startGameServer } from '../game-server/game-server.ts'
import { type LogLine, recorder } from '../logs.ts'

/** Shorter limits than the usual ones. A test that waits for the end of a time budget sets a shorter one itself. */
const quick: Partial<Limits> = {
  keepFor: 40,
  pollEvery: 50,
  slowPolls: 2,
  offlineAfter: 400,
  brokenAfter: 300,
  chatWellAfter: 50,
  backOffFrom: 20,
  backOffTo: 500,
}

/** A tenth of each time budget, for tests that wait for the end of one. */
export const tenthOfBudgets = {
  budgetOf: (ability: AbilityName) => abilities[ability].budget / 10,
  look: 200,
}

export interface UpstreamGame {
  readonly bridge: GameBridge
  readonly server: GameServer
  readonly limits: Limits
  readonly logged: readonly LogLine[]
  close(): Promise<void>
}

export type UpstreamGameOptions = GameServerOptions & {
  readonly limits?: Partial<Limits>
  readonly bridgeKey?: string
  readonly clock?: Clock
  /** The value of `GAME_API_URL`; by default the address of the stand-in. */
  readonly urlOf?: (server: GameServer) => string
}

export async function upstreamGame({
  limits = {},
  bridgeKey,
  urlOf = ({ url }) => url,
  clock,
  ...options
}: UpstreamGameOptions = {}): Promise<UpstreamGame> {
  const server = await startGameServer({ snapshotEvery: 50, ...options })
  const logged: LogLine[] = []
  const all = { ...quick, ...limits }
  const bridge = upstreamBridge({
    url: urlOf(server),
    key: bridgeKey ?? options.key ?? '',
    log: recorder(logged),
    limits: all,
    ...(clock !== undefined && { clock }),
  })
  return {
    bridge,
    server,
    limits: { ...defaultLimits, ...all },
    logged,
    async close() {
      await bridge.close()
      await server.stop()
    },
  }
}
