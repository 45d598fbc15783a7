import * as v from 'valibot'
import { docs } from '../described.ts'
import { fleetEndpoint } from '../endpoint.ts'
import { fleetAction, fleetActionSummary } from '../fleet-action.ts'
import { optional, shortText } from '../parameter.ts'
import { Problem } from '../problem.ts'

export const farmsAction = fleetEndpoint('GET /farms/actions', {
  tag: 'Fleet',
  operationId: 'getFarmsAction',
  summary: docs(
    'Whether an action at many farms has ended, and its outcome at each farm that is done; without `id`, the kept actions, newest first',
  ),
  parameters: {
    id: optional(shortText(64, { description: docs('The id of the action'), example: '6f1c2a9b03de' })),
  },
  result: v.union([fleetAction, v.object({ actions: v.array(fleetActionSummary) })]),
  example: docs({
    state: 'ended',
    outcomes: [
      { farm: 'clover', outcome: 'failed', detail: 'The farm is not reachable' },
      { farm: 'meadow', outcome: 'succeeded' },
    ],
  }),
  problems: ['action_not_found'],
  async handle({ query: { id } }, fleet) {
    if (id === undefined) return { actions: [...(await fleet.actions())] }
    const action = await fleet.action(id)
    if (action === undefined)
      throw new Problem('action_not_found', 'There is no such action, or it ended a week ago', {
        parameter: 'id',
      })
    return action
  },
})
