import type { Route } from './route.ts'
import { appTicket, existingAppTicket } from './routes/app-ticket.ts'
import { health } from './routes/health.ts'
import { createLobby, lobbyStatus, setLobbyData, setLobbyPrivacy } from './routes/lobby.ts'
import { metrics } from './routes/metrics.ts'
import { ready } from './routes/ready.ts'
import { refreshToken } from './routes/refresh-token.ts'
import { validateStatus } from './routes/validate-status.ts'

/** Every endpoint (contract/ticket-service.md section 2). */
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
