import { randomBytes } from 'node:crypto'
import { returnStartMemory } from '../../lib/start-memory.ts'
import { appTicketCache } from '../app-ticket-cache.ts'
import type { RunCommand } from '../command-context.ts'
import { ticketApp } from '../http/app.ts'
import { ticketGate } from '../http/gate.ts'
import { httpMetrics } from '../http/http-metrics.ts'
import { listen } from '../http/listen.ts'
import { lobbyKeeper } from '../lobby.ts'
import { remoteSession } from '../session/remote-session.ts'
import { sessionStore } from '../session/session-file.ts'
import { openSetup } from '../setup/open-setup.ts'

/** Runs the HTTP service until a signal. It listens before the Steam library is loaded. */
export const run: RunCommand = async ({ config, log, secrets, clock, signal, pretty, colours }) => {
  const platform = remoteSession({ config, pretty, colours }, log, clock)
  const tickets = appTicketCache(platform, clock)
  const lobby = lobbyKeeper(platform, clock, (sentence) => log.warn({}, sentence))
  const meter = httpMetrics(platform, tickets)
  const { monotonic } = clock
  const store = sessionStore(config.sessionDir)
  const setup = openSetup({ config, platform, store, clock, randomBytes, log, secrets })
  const services = {
    platform,
    tickets,
    lobby,
    setup,
    clock,
    appId: config.appId,
    gameDir: config.gameDir,
    metrics: meter.text,
  }
  try {
    const { ticketKey: key, port, host } = config
    const gate = ticketGate({ key, log, monotonic })
    const app = ticketApp({ services, meter, key, log, gate })
    const server = await listen(app, { port, host, gate, meter, log, monotonic })
    log.info({}, `Listening on port ${server.port}`)
    returnStartMemory()
    if (key === undefined) {
      log.warn({}, 'Without TICKET_KEY only callers on loopback and private networks are served')
    }
    if (!signal.aborted)
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    log.info({}, 'Stopping')
    lobby.close()
    setup.close()
    await Promise.all([server.close(), platform.close()])
  } finally {
    await platform.close()
  }
}
