import * as v from 'valibot'
import { docs } from '../described.ts'
import { fleetEndpoint } from '../endpoint.ts'
import { noSuchFarm } from '../fleet.ts'

export const deleteFarm = fleetEndpoint('DELETE /farms/{farm}', {
  tag: 'Fleet',
  operationId: 'deleteFarm',
  summary: docs('Deletes a farm with everything stored for it, and closes its sockets'),
  result: v.object({ success: v.literal(true) }),
  example: docs({ success: true }),
  problems: ['not_found'],
  async handle({ farm }, fleet) {
    if (!(await fleet.remove(farm))) throw noSuchFarm(farm, 'not_found')
    return { success: true as const }
  },
})
