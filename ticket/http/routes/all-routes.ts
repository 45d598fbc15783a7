import { pathOf, segments } from '../path.ts'
import { appTicket, existingAppTicket } from './app-ticket.ts'
import { health } from './health.ts'
import { createLobby, lobbyStatus, setLobbyData, setLobbyPrivacy } from './lobby.ts'
import { metrics } from './metrics.ts'
import { ready } from './ready.ts'
import { refreshToken } from './refresh-token.ts'
import type { Route } from './route.ts'
import { validateStatus } from './validate-status.ts'

/** Every endpoint (docs/ticket-service.md, HTTP). */
export const routes: readonly Route[] = [
  health,
  appTicket,
  existingAppTicket,
  ready,
  createLobby,
  setLobbyData,
  setLobbyPrivacy,
  lobbyStatus,
  refreshToken,
  validateStatus,
  metrics,
]

const paths: ReadonlySet<string> = new Set(routes.flatMap((route) => route.paths))

/** @returns the path of the route at a path, or `other`: the label of its requests in the metrics */
export function pathLabel(pathname: string): string {
  const path = pathOf(segments(pathname))
  return paths.has(path) ? path : 'other'
}
