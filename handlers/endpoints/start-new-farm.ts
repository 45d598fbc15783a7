import { endpoint } from '../endpoint.ts'
import { withoutKey } from '../key-holder.ts'
import { newFarm } from '../new-farm.ts'
import { saveBudgets } from '../saves.ts'
import { operationBody, operationExample, operationResult, operationRunning } from './host-actions.ts'

export const startNewFarm = endpoint('POST /saves/new', {
  at: 'farm',
  scope: 'admin',
  tag: 'Saves',
  operationId: 'startNewFarm',
  summary:
    'Restarts the game with a new farm; the present one stays in the list, and comes back if that fails',
  body: operationBody(newFarm, {
    farmName: 'Clover',
    farmType: 1,
    startingCabins: 3,
    profitMargin: 0.75,
    when: 'empty',
    reason: 'A new year',
  }),
  status: 202,
  result: operationResult,
  example: { operation: { ...operationExample, action: 'new_farm' as const } },
  budget: saveBudgets.choose,
  problems: ['host_unavailable', 'settings_changed', 'settings_unusable', 'unsupported', 'disk_failed'],
  problemMembers: [operationRunning],
  async handle({ body, holder: { id, name } = withoutKey }, { saves }) {
    return { operation: await saves.startNewFarm(body, { id, name }) }
  },
})
