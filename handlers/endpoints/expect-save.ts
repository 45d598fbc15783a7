import * as v from 'valibot'
import { endpoint } from '../endpoint.ts'
import { shortText } from '../parameter.ts'
import { Problem } from '../problem.ts'

export const expectSave = endpoint('POST /saves/expect', {
  at: 'farm',
  scope: 'admin',
  tag: 'Saves',
  operationId: 'expectSave',
  summary: 'Says that a save is the right one to play, which ends `unexpected` of GET /saves',
  parameters: {
    name: shortText(128, { description: 'The name of the save', example: 'Clover_123456789' }),
  },
  result: v.object({ success: v.literal(true), message: v.string() }),
  example: { success: true, message: 'Clover_123456789 is the save to play' },
  problems: ['save_not_found', 'unsupported', 'disk_failed'],
  async handle({ query: { name } }, { saves }) {
    if (!(await saves.expectSave(name))) throw new Problem('save_not_found', 'Save not found')
    return { success: true as const, message: `${name} is the save to play` }
  },
})
