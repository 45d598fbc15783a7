/**
 * The endpoints of a fleet (docs/edge.md). A Worker with FLEET_KEY serves them at its root; they do not belong to a
 * farm's API.
 */
import type { FleetEndpoint } from '../endpoint.ts'
import { beginAction } from './begin-action.ts'
import { deleteFarm } from './delete-farm.ts'
import { farmTargets } from './farm-targets.ts'
import { farms } from './farms.ts'
import { farmsAction } from './farms-action.ts'
import { makeDashboardLink } from './make-dashboard-link.ts'
import { noteFarm } from './note-farm.ts'
import { putFarm } from './put-farm.ts'

export const fleetEndpoints: readonly FleetEndpoint[] = [
  farms,
  farmTargets,
  beginAction,
  farmsAction,
  putFarm,
  noteFarm,
  deleteFarm,
  makeDashboardLink,
]
