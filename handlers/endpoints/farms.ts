import * as v from 'valibot'
import { fleetEndpoint } from '../endpoint.ts'
import { fleetEntry } from '../fleet.ts'

export const farms = fleetEndpoint({
  method: 'GET',
  path: '/farms',
  tag: 'Fleet',
  operationId: 'getFarms',
  summary: 'The farms of the fleet, by name; wakes no farm',
  parameters: {},
  result: v.object({ farms: v.array(fleetEntry) }),
  example: {
    farms: [
      {
        farm: 'meadow',
        createdAt: '2026-11-21T12:00:00.000Z',
        linked: true,
        lastSeen: '2026-11-21T18:30:00.000Z',
        players: 2,
        version: '1.0.0',
      },
    ],
  },
  problems: [],
  handle: async (_request, fleet) => ({ farms: [...(await fleet.list())] }),
})
