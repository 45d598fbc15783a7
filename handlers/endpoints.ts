/** Every endpoint of the control API, in the order of the page at `/docs`. A new endpoint is added to this list. */
import type { Endpoint } from './endpoint.ts'
import { cabins } from './endpoints/cabins.ts'
import { deleteFarmhand } from './endpoints/delete-farmhand.ts'
import { diagnosticsState } from './endpoints/diagnostics-state.ts'
import { farmhands } from './endpoints/farmhands.ts'
import { grantAdmin } from './endpoints/grant-admin.ts'
import { health } from './endpoints/health.ts'
import { inviteCode } from './endpoints/invite-code.ts'
import { newGame } from './endpoints/new-game.ts'
import { passwordProtection } from './endpoints/password-protection.ts'
import { players } from './endpoints/players.ts'
import { ready } from './endpoints/ready.ts'
import { rebindFarmhand } from './endpoints/rebind-farmhand.ts'
import { reload } from './endpoints/reload.ts'
import { rendering } from './endpoints/rendering.ts'
import { screenshot } from './endpoints/screenshot.ts'
import { setClockSpeed } from './endpoints/set-clock-speed.ts'
import { setLoginTimeout } from './endpoints/set-login-timeout.ts'
import { setRendering } from './endpoints/set-rendering.ts'
import { setTime } from './endpoints/set-time.ts'
import { settings } from './endpoints/settings.ts'
import { stats } from './endpoints/stats.ts'
import { status } from './endpoints/status.ts'
import { waitFarmhands } from './endpoints/wait-farmhands.ts'
import { waitHealth } from './endpoints/wait-health.ts'
import { waitPlayers } from './endpoints/wait-players.ts'
import { waitStatus } from './endpoints/wait-status.ts'

export const endpoints: readonly Endpoint[] = [
  health,
  ready,
  status,
  players,
  inviteCode,
  farmhands,
  deleteFarmhand,
  rebindFarmhand,
  settings,
  cabins,
  rendering,
  setRendering,
  setTime,
  grantAdmin,
  stats,
  screenshot,
  setClockSpeed,
  passwordProtection,
  setLoginTimeout,
  newGame,
  reload,
  diagnosticsState,
  waitStatus,
  waitPlayers,
  waitFarmhands,
  waitHealth,
]
