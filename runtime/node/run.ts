/** Brings a configured control API up and down; what `serve` and the demo share. */
import { randomUUID } from 'node:crypto'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import { documentPages } from '../documents/pages.ts'
import { digestOf, keyCheck, openToAll } from '../http/keys.ts'
import { type OriginLink, openLink } from '../link/origin.ts'
import type { Log } from '../log.ts'
import type { Config } from './config.ts'
import { openGame } from './game.ts'
import { createLog } from './log.ts'
import { type RunningServer, startServer } from './server.ts'
import { stopOnSignals } from './shutdown.ts'
import { watchTicketService } from './ticket-service.ts'
import { viewerAsset } from './viewer-asset.ts'

/** Starts everything and stays until a signal ends it. @returns once it listens */
export async function run(config: Config): Promise<RunningServer> {
  const log = await createLog({ level: config.LOG_LEVEL, format: config.LOG_FORMAT })
  const game = await openGame(config, log)
  const server = await startServer(
    {
      game,
      keys: config.apiKey === undefined ? openToAll : keyCheck(digestOf(config.apiKey)),
      rates: {
        reads: config.RATE_LIMIT_READS,
        writes: config.RATE_LIMIT_WRITES,
        anonymous: config.RATE_LIMIT_ANONYMOUS,
        failedKeys: config.RATE_LIMIT_FAILED_KEYS,
      },
      allowedOrigins: config.ALLOWED_ORIGINS,
      publicInviteCodes: config.PUBLIC_INVITE_CODES,
      basePath: config.API_BASE_PATH,
      trustProxy: config.TRUST_PROXY,
      maxClients: config.WS_MAX_CLIENTS,
      pages: documentPages(viewerAsset),
      log,
    },
    { port: config.API_PORT, ...(config.API_HOST !== undefined && { host: config.API_HOST }) },
  )
  if (config.PLATFORM_AUTH_URL !== undefined)
    watchTicketService(config.PLATFORM_AUTH_URL, server.metrics.registry)
  if (config.apiKey === undefined)
    log.warn({}, 'no API_KEY is set: everybody who reaches this address controls the farm')
  log.info({ url: server.url, port: server.port, bridge: config.bridge }, 'listening')
  const link = edgeLink(config, game, log)
  stopOnSignals({
    stop: async (within) => {
      log.info({}, 'stopping')
      await link?.close()
      await server.stop(within)
      await game.close()
      log.info({}, 'stopped')
    },
    exit: process.exit,
    monotonic: () => performance.now(),
    on: (signal, listener) => process.on(signal, listener),
  })
  return server
}

/** Also serves through an edge, where one is configured (contract section 6). */
function edgeLink({ EDGE_URL, edgeLinkKey }: Config, game: GameBridge, log: Log): OriginLink | undefined {
  if (EDGE_URL === undefined || edgeLinkKey === undefined) return undefined
  const run = randomUUID()
  return openLink({
    url: EDGE_URL,
    key: edgeLinkKey,
    game,
    log,
    run,
    monotonic: () => performance.now(),
    random: Math.random,
  })
}
