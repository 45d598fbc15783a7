import * as v from 'valibot'
import { fleetEndpoint } from '../endpoint.ts'
import { noSuchFarm } from '../fleet.ts'

export const deleteFarm = fleetEndpoint({
  method: 'DELETE',
  path: '/farms/{farm}',
  tag: 'Fleet',
  operationId: 'deleteFarm',
  summary: 'Deletes a farm with everything stored for it, and closes its sockets',
  parameters: {},
  result: v.object({ success: v.literal(true) }),
  example: { success: true },
  problems: ['not_found'],
  async handle({ farm }, fleet) {
    if (!(await fleet.remove(farm))) throw noSuchFarm(farm, 'not_found')
    return { success: true as const }
  },
})
