import * as v from 'valibot'
import { docs } from '../described.ts'
import { fleetEndpoint } from '../endpoint.ts'
import { type FleetEntry, fleetEntry } from '../fleet.ts'

export const exampleFarm: FleetEntry = docs({
  farm: 'meadow',
  createdAt: '2026-11-21T12:00:00.000Z',
  linked: true,
  trouble: ['token_expiring'],
  lastSeen: '2026-11-21T18:30:00.000Z',
  players: 2,
  maxPlayers: 8,
  version: '1.0.0',
  farmgateVersion: '0.3.0',
  backupAgeHours: 3,
  tokenDays: 9,
  tags: ['eu', 'paid'],
  note: 'Moves to a new machine in May',
})

export const farms = fleetEndpoint('GET /farms', {
  tag: 'Fleet',
  operationId: 'getFarms',
  summary: docs('The farms of the fleet, by name, with what is wrong at each; wakes no farm'),
  result: v.object({ farms: v.array(fleetEntry) }),
  example: docs({ farms: [exampleFarm] }),
  handle: async (_request, fleet) => ({ farms: [...(await fleet.list())] }),
})
