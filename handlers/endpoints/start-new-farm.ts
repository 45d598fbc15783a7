import { endpoint } from '../endpoint.ts'
import { isFalling, someMinutes } from '../host-record.ts'
import { maxJsonBody, readStrict } from '../json-body.ts'
import { withoutKey } from '../key-holder.ts'
import { type NewFarm, newFarm } from '../new-farm.ts'
import { Problem } from '../problem.ts'
import { operationExample, operationResult, operationRunning } from './host-actions.ts'

export const startNewFarm = endpoint('POST /saves/new', {
  at: 'farm',
  scope: 'admin',
  tag: 'Saves',
  operationId: 'startNewFarm',
  summary:
    'Restarts the game with a new farm; the present one stays in the list, and comes back if that fails',
  body: {
    type: 'application/json',
    schema: newFarm,
    /** @throws {Problem} invalid_parameter */
    read(json: unknown): NewFarm {
      const request = readStrict(newFarm, json)
      if (!isFalling(request.warnMinutes))
        throw new Problem('invalid_parameter', someMinutes, { parameter: 'warnMinutes' })
      return request
    },
    example: {
      farmName: 'Clover',
      farmType: 1,
      startingCabins: 3,
      profitMargin: 0.75,
      when: 'empty',
      reason: 'A new year',
    },
    maxBytes: maxJsonBody,
  },
  status: 202,
  result: operationResult,
  example: { operation: { ...operationExample, action: 'new_farm' as const } },
  problems: ['host_unavailable', 'settings_changed', 'settings_unusable', 'unsupported', 'disk_failed'],
  problemMembers: [operationRunning],
  async handle({ body, holder: { id, name } = withoutKey }, { saves }) {
    return { operation: await saves.startNewFarm(body, { id, name }) }
  },
})
