/**
 * The endpoints whose whole definition the edge has: it answers reads of the game from its own ports, and refuses wrong arguments
 * of writes before it forwards them, also while the farm is offline. Of all others it only knows what it needs to
 * forward a call (`handlers/endpoints/forwarded-endpoints.ts`), so that the Worker stays small.
 */
import type { Endpoint } from '../endpoint.ts'
import { announce } from './announce.ts'
import { badge } from './badge.ts'
import { cabins } from './cabins.ts'
import { changeSettings } from './change-settings.ts'
import { deleteFarmhand } from './delete-farmhand.ts'
import { diagnosticsState } from './diagnostics-state.ts'
import { farmhands } from './farmhands.ts'
import { grantAdmin } from './grant-admin.ts'
import { health } from './health.ts'
import { inviteCode } from './invite-code.ts'
import { metrics } from './metrics.ts'
import { newGame } from './new-game.ts'
import { ownKey } from './own-key.ts'
import { passwordProtection } from './password-protection.ts'
import { players } from './players.ts'
import { ready } from './ready.ts'
import { rebindFarmhand } from './rebind-farmhand.ts'
import { reload } from './reload.ts'
import { rendering } from './rendering.ts'
import { screenshot } from './screenshot.ts'
import { setClockSpeed } from './set-clock-speed.ts'
import { setLoginTimeout } from './set-login-timeout.ts'
import { setRendering } from './set-rendering.ts'
import { setTime } from './set-time.ts'
import { settings } from './settings.ts'
import { stats } from './stats.ts'
import { status } from './status.ts'
import { waitFarmhands } from './wait-farmhands.ts'
import { waitHealth } from './wait-health.ts'
import { waitPlayers } from './wait-players.ts'
import { waitStatus } from './wait-status.ts'

export const gameEndpoints = [
  health,
  ready,
  status,
  badge,
  players,
  inviteCode,
  farmhands,
  deleteFarmhand,
  rebindFarmhand,
  settings,
  changeSettings,
  cabins,
  rendering,
  setRendering,
  setTime,
  grantAdmin,
  announce,
  stats,
  screenshot,
  setClockSpeed,
  passwordProtection,
  setLoginTimeout,
  newGame,
  reload,
  diagnosticsState,
  metrics,
] as const satisfies readonly Endpoint[]

export const waitingEndpoints = [
  waitStatus,
  waitPlayers,
  waitFarmhands,
  waitHealth,
] as const satisfies readonly Endpoint[]

/** All of them. */
export const sharedEndpoints: readonly Endpoint[] = [...gameEndpoints, ...waitingEndpoints, ownKey]
