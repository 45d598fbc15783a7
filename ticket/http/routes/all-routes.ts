import { appTicket, existingAppTicket, ready, refreshToken, renewToken } from './account.ts'
import { docs, openApi } from './documents.ts'
import { validateGame, validateStatus } from './game.ts'
import { createLobby, lobbyStatus, setLobbyData, setLobbyPrivacy } from './lobby.ts'
import type { Route } from './route.ts'
import { health, metrics } from './service.ts'
import { setupDownload, setupSignIn, setupState } from './setup.ts'

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
  openApi(() => routes),
  docs(() => routes),
]
