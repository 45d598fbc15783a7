import type { Hono } from 'hono'
import { type AppTicketCache, appTicketCache } from '../../ticket/app-ticket-cache.ts'
import { systemClock } from '../../ticket/clock.ts'
import { type Socketed, ticketApp } from '../../ticket/http/app.ts'
import { httpMetrics } from '../../ticket/http/http-metrics.ts'
import { type LobbyKeeper, lobbyKeeper } from '../../ticket/lobby.ts'
import { makeLog } from '../../ticket/log.ts'
import type { PlatformPort } from '../../ticket/platform-port.ts'
import { makeSecrets } from '../../ticket/secrets.ts'

/** The HTTP side over a platform port, with a log that is kept. */
export interface HttpSetting {
  readonly app: Hono<Socketed>
  readonly lobby: LobbyKeeper
  readonly tickets: AppTicketCache
  readonly lines: string[]
  /** Calls a path as a caller at an address, loopback unless given. */
  call(path: string, init?: RequestInit, address?: string): Promise<Response>
  post(path: string, body: string, init?: RequestInit): Promise<Response>
}

export function httpSetting(platform: PlatformPort, key?: string): HttpSetting {
  const lines: string[] = []
  const log = makeLog({
    level: 'debug',
    pretty: false,
    colours: false,
    secrets: makeSecrets(),
    write: (line) => void lines.push(line),
  })
  const tickets = appTicketCache(platform, systemClock)
  const lobby = lobbyKeeper(platform, systemClock, log.warn)
  const meter = httpMetrics(platform, tickets)
  const services = { platform, tickets, lobby, clock: systemClock, appId: 413150, metrics: meter.text }
  const app = ticketApp({ services, meter, key, log })
  const call = async (path: string, init: RequestInit = {}, remoteAddress = '127.0.0.1') =>
    app.fetch(new Request(`http://ticket:3001${path}`, init), { incoming: { socket: { remoteAddress } } })
  const post = (path: string, body: string, init: RequestInit = {}) =>
    call(path, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json; charset=utf-8' },
      ...init,
    })
  return { app, lobby, tickets, lines, call, post }
}
