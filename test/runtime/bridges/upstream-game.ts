/** The upstream bridge before a stand-in game server of its own, with times short enough for tests. */
import { type AbilityName, abilities } from '../../../handlers/game-abilities.ts'
import type { GameBridge } from '../../../handlers/game-bridge.ts'
import { upstreamBridge } from '../../../runtime/bridges/upstream/bridge.ts'
import type { Clock } from '../../../runtime/bridges/upstream/clock.ts'
import { contractLimits, type Limits } from '../../../runtime/bridges/upstream/limits.ts'
import type { Log } from '../../../runtime/log.ts'
import { type GameServer, type GameServerOptions, startGameServer } from '../../game-server/game-server.ts'

/** The contract's limits on a faster clock; budgets that a test waits out are its own business. */
const quick: Partial<Limits> = {
  keepFor: 40,
  pollEvery: 50,
  slowPolls: 2,
  awayAfter: 400,
  availableFor: 300,
  backOffFrom: 20,
  backOffTo: 500,
}

/** The budgets of the table by ten, so that waiting them out takes little time. */
export const tenthOfBudgets = {
  budgetOf: (ability: AbilityName) => abilities[ability].budget / 10,
  look: 200,
}

interface LogLine {
  readonly level: keyof Log
  readonly fields: object
  readonly message: string
}

export interface UpstreamGame {
  readonly bridge: GameBridge
  readonly server: GameServer
  readonly limits: Limits
  readonly logged: readonly LogLine[]
  close(): Promise<void>
}

export async function upstreamGame({
  limits = {},
  bridgeKey,
  urlOf = ({ url }) => url,
  clock,
  ...options
}: GameServerOptions & {
  readonly limits?: Partial<Limits>
  readonly bridgeKey?: string
  readonly clock?: Clock
  /** What `GAME_API_URL` is; the stand-in's own address unless given. */
  readonly urlOf?: (server: GameServer) => string
} = {}): Promise<UpstreamGame> {
  const server = await startGameServer({ snapshotEvery: 50, ...options })
  const logged: LogLine[] = []
  const level = (level: keyof Log) => (fields: object, message: string) =>
    void logged.push({ level, fields, message })
  const all = { ...quick, ...limits }
  const bridge = upstreamBridge({
    url: urlOf(server),
    key: bridgeKey ?? options.key ?? '',
    log: { debug: level('debug'), info: level('info'), warn: level('warn'), error: level('error') },
    limits: all,
    ...(clock !== undefined && { clock }),
  })
  return {
    bridge,
    server,
    limits: { ...contractLimits, ...all },
    logged,
    async close() {
      await bridge.close()
      await server.stop()
    },
  }
}
