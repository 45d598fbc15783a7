/**
 * The endpoints of a fleet (docs/edge.md). A Worker with FLEET_KEY serves them at its root; they do not belong to a
 * farm's API.
 */
import type { FleetEndpoint } from '../endpoint.ts'
import { deleteFarm } from './delete-farm.ts'
import { farmTargets } from './farm-targets.ts'
import { farms } from './farms.ts'
import { putFarm } from './put-farm.ts'

export const fleetEndpoints: readonly FleetEndpoint[] = [farms, farmTargets, putFarm, deleteFarm]
