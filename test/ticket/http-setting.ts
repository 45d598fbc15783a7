import type { Hono } from 'hono'
import { systemClock } from '../../lib/clock.ts'
import type { ConnectionLimits } from '../../lib/connection-limits.ts'
import type { Log } from '../../lib/log.ts'
import { type AppTicketCache, appTicketCache } from '../../ticket/app-ticket-cache.ts'
import { type Connected, ticketApp } from '../../ticket/http/app.ts'
import { type Gate, ticketGate } from '../../ticket/http/gate.ts'
import { type HttpMetrics, httpMetrics } from '../../ticket/http/http-metrics.ts'
import { type Listening, listen } from '../../ticket/http/listen.ts'
import { type LobbyKeeper, lobbyKeeper } from '../../ticket/lobby.ts'
import { makeLog } from '../../ticket/log.ts'
import type { PlatformPort } from '../../ticket/platform-port.ts'
import { makeSecrets } from '../../ticket/secrets.ts'
import type { Setup } from '../../ticket/setup/open-setup.ts'

/** The HTTP side with a platform port, and a recorded log. */
export interface HttpSetting {
  readonly app: Hono<Connected>
  readonly lobby: LobbyKeeper
  readonly tickets: AppTicketCache
  readonly lines: string[]
  readonly gate: Gate
  readonly meter: HttpMetrics
  readonly log: Log
  /** Lets time pass for the limits on callers. */
  pass(milliseconds: number): void
  /** Calls a path as a caller at an address, loopback unless given. */
  call(path: string, init?: RequestInit, address?: string): Promise<Response>
  post(path: string, body: string, init?: RequestInit): Promise<Response>
}

/** Someone is signed in and the game is installed. */
const closedSetup: Setup = {
  admit: async () => 'closed',
  view: async () => ({ state: 'installed' }),
  beginSignIn: async () => undefined,
  download: async () => true,
  close: () => undefined,
}

export function httpSetting(platform: PlatformPort, key?: string, setup = closedSetup): HttpSetting {
  const lines: string[] = []
  let now = 0
  const log = makeLog({
    level: 'debug',
    pretty: false,
    colours: false,
    secrets: makeSecrets(),
    write: (line) => void lines.push(line),
  })
  const tickets = appTicketCache(platform, systemClock)
  const lobby = lobbyKeeper(platform, systemClock, (sentence) => log.warn({}, sentence))
  const meter = httpMetrics(platform, tickets)
  const services = {
    platform,
    tickets,
    lobby,
    setup,
    clock: systemClock,
    appId: 413150,
    gameDir: '/data/game',
    metrics: meter.text,
  }
  const gate = ticketGate({ key, log, monotonic: () => now })
  const app = ticketApp({ services, meter, key, log, gate })
  const call = async (path: string, init: RequestInit = {}, remoteAddress = '127.0.0.1') =>
    app.fetch(new Request(`http://ticket:3001${path}`, init), { address: remoteAddress })
  const post = (path: string, body: string, init: RequestInit = {}) =>
    call(path, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json; charset=utf-8' },
      ...init,
    })
  const pass = (milliseconds: number) => {
    now += milliseconds
  }
  return { app, gate, meter, log, lobby, tickets, lines, call, post, pass }
}

/** Serves it on a free port of loopback. */
export const listening = (
  { app, gate, meter, log }: HttpSetting,
  limits: Partial<ConnectionLimits> = {},
): Promise<Listening> =>
  listen(app, { port: 0, host: '127.0.0.1', gate, meter, log, monotonic: systemClock.monotonic, limits })
