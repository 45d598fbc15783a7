/** Every endpoint of the control API, in the order of the reference page. Adding one adds one line here. */
import type { Endpoint } from './endpoint.ts'
import { cabins } from './endpoints/cabins.ts'
import { deleteFarmhand } from './endpoints/delete-farmhand.ts'
import { farmhands } from './endpoints/farmhands.ts'
import { grantAdmin } from './endpoints/grant-admin.ts'
import { health } from './endpoints/health.ts'
import { inviteCode } from './endpoints/invite-code.ts'
import { players } from './endpoints/players.ts'
import { ready } from './endpoints/ready.ts'
import { rebindFarmhand } from './endpoints/rebind-farmhand.ts'
import { rendering } from './endpoints/rendering.ts'
import { setRendering } from './endpoints/set-rendering.ts'
import { setTime } from './endpoints/set-time.ts'
import { settings } from './endpoints/settings.ts'
import { status } from './endpoints/status.ts'

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
]
