import { appTicket, existingAppTicket } from './app-ticket.ts'
import { health } from './health.ts'
import { createLobby, lobbyStatus, setLobbyData, setLobbyPrivacy } from './lobby.ts'
import { metrics } from './metrics.ts'
import { ready } from './ready.ts'
import { refreshToken } from './refresh-token.ts'
import { renewToken } from './renew-token.ts'
import type { Route } from './route.ts'
import { setupDownload, setupSignIn, setupState } from './setup.ts'
import { validateGame } from './validate-game.ts'
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
  renewToken,
  validateGame,
  validateStatus,
  metrics,
  setupState,
  setupSignIn,
  setupDownload,
]
